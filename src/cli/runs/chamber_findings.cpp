#include "cli/runs/chamber_findings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cli/options/numbers.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

// Of the softest material: strains of that order, which are far above rounding and far below all that isn't linear.
constexpr double small_pressure = 1e-6;
// Less of the volume than this isn't what somebody who inflates a body expects.
constexpr double expected_share = 0.9;

double softest(const VolumeMesh& mesh) {
  double least = std::numeric_limits<double>::infinity();
  for (const Region& region : mesh.regions)
    if (region.material) least = std::min(least, region.material->youngs_modulus);
  return least;
}

std::vector<Chamber> chambers_of(const ReducedModel& model) {
  std::vector<Chamber> chambers;
  for (const ModelChamber& of : model.chambers) chambers.push_back(of.chamber);
  return chambers;
}

// Nothing where an equilibrium isn't found, or the chamber's volume can't change.
std::optional<double> answered_share(const ReducedModel& model, std::size_t number, StaticSolver& solver) {
  std::vector<double> pressures(model.chambers.size());
  pressures[number] = small_pressure * softest(model.mesh);
  if (!std::isfinite(pressures[number])) return std::nullopt;
  const ModelChamber& of = model.chambers[number];
  const Equilibrium whole = solver.solve(std::vector<double>(model.mesh.vertices.size()), {}, pressures);
  const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
  const Equilibrium reduced =
      reduced_equilibrium(model.energy, std::span(&of.volume, 1), std::span(&pressures[number], 1), rest);
  if (!whole.converged || !reduced.converged) return std::nullopt;
  const double share =
      (evaluate(of.volume, reduced.solution).volume - evaluate(of.volume, rest).volume) /
      (enclosed_volume(model.mesh, of.chamber, whole.solution) - enclosed_volume(model.mesh, of.chamber));
  return std::isfinite(share) ? std::optional(share) : std::nullopt;
}

}  // namespace

std::vector<ChamberFinding> list_chambers(const ReducedModel& model) {
  std::vector<ChamberFinding> findings;
  for (const ModelChamber& of : model.chambers)
    findings.push_back({of.chamber.name, of.chamber.face_count(), enclosed_volume(model.mesh, of.chamber)});
  return findings;
}

std::vector<ChamberFinding> look_at_chambers(const ReducedModel& model) {
  std::vector<ChamberFinding> findings = list_chambers(model);
  if (findings.empty() || model.rigid_modes > 0 || model.supports().empty()) return findings;
  StaticSolver solver(model.mesh, model.supports(), {}, chambers_of(model));
  for (std::size_t c = 0; c < findings.size(); ++c) findings[c].share = answered_share(model, c, solver);
  return findings;
}

std::vector<std::string> chamber_warnings(const std::vector<ChamberFinding>& findings) {
  std::vector<std::string> warnings;
  for (const ChamberFinding& finding : findings)
    if (finding.share && *finding.share < expected_share)
      warnings.push_back("on this basis a small pressure adds only " + significant(100 * *finding.share, 3) +
                         " % of the volume that it adds to chamber '" + finding.name +
                         "' of the unreduced body; reduce from --snapshots of `solve --static --pressure`, or raise "
                         "--modes and --rank");
  return warnings;
}

}  // namespace quartic::cli
