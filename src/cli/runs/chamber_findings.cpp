#include "cli/runs/chamber_findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "cli/options/numbers.hpp"
#include "quartic/statics.hpp"
#include "quartic/supports.hpp"

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

using Vector = std::array<double, 3>;

Vector from_to(const VolumeMesh& mesh, std::int64_t a, std::int64_t b) {
  Vector result;
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = mesh.vertices[3 * static_cast<std::size_t>(b) + c] - mesh.vertices[3 * static_cast<std::size_t>(a) + c];
  return result;
}
double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Size>
std::int32_t largest(const VolumeMesh& mesh, const Size& size) {
  std::int32_t best = 0;
  for (std::int32_t v = 1; v < mesh.vertex_count(); ++v)
    if (size(v) > size(best)) best = v;
  return best;
}

// Three vertices that are far apart, held in six directions, so that a free body can't move rigidly. Pressure has no
// resultant and no moment, so that nothing pulls at them.
Supports holds_rigid_motion(const VolumeMesh& mesh) {
  const auto from_first = [&](std::int32_t v) { return from_to(mesh, 0, v); };
  const std::int32_t far = largest(mesh, [&](std::int32_t v) { return dot(from_first(v), from_first(v)); });
  const Vector axis = from_first(far);
  const auto across = [&](std::int32_t v) { return cross(axis, from_first(v)); };
  const std::int32_t beside = largest(mesh, [&](std::int32_t v) { return dot(across(v), across(v)); });
  const Vector normal = across(beside);
  Supports supports(std::vector<std::int32_t>{0});
  const auto hold = [&](std::int32_t vertex, const Vector& direction) {
    for (Constraint& equation : hold_along(std::span(&vertex, 1), direction))
      supports.constraints.push_back(std::move(equation));
  };
  hold(far, normal);
  hold(far, cross(normal, axis));
  hold(beside, normal);
  return supports;
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
  const bool is_free = model.supports().empty();
  if (findings.empty() || (model.rigid_modes > 0 && !is_free)) return findings;
  StaticSolver solver(model.mesh, is_free ? holds_rigid_motion(model.mesh) : model.supports(), {}, chambers_of(model));
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
