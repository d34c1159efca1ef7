#include "cli/runs/comparison_reference.hpp"

#include <utility>

#include "cli/options/numbers.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

WatchedVertex watched_vertex(const Snapshots& snapshots, const Scene& scene, std::optional<std::int32_t> wish) {
  if (wish) return watch(snapshots, *wish);
  return scene.loads.empty() ? most_displaced(snapshots) : watch(snapshots, scene.loads.front().vertex());
}

}  // namespace

Reference find_equilibrium(const ReducedModel& model, const SparseMatrix& mass, const Scene& scene,
                           const ReferenceOptions& options, const Progress& progress) {
  Reference reference{
      .yardstick = {}, .load = load_at_start(mass, scene, !scene.heating.empty()), .factorization = {}, .warnings = {}};
  StaticSolver solver(model.mesh, model.supports(), {.heating = scene.heating, .progress = progress});
  Equilibrium end = solver.solve(reference.load);
  if (!end.converged)
    throw NumericalError("the unreduced body holds only " + significant(100 * end.load_factor, 3) +
                         " % of the load: compare with a smaller one");
  if (!end.stable)
    reference.warnings.emplace_back(
        "the unreduced body's equilibrium isn't stable: a small disturbance makes it leave");
  if (const std::int64_t inverted = inverted_elements(model.mesh, end.solution); inverted > 0)
    reference.warnings.push_back("the unreduced body has " + std::to_string(inverted) + " " + turned_inside_out);
  Snapshots snapshots{.time = {0}, .displacements = Matrix(std::ssize(end.solution), 1)};
  snapshots.displacements.values = std::move(end.solution);
  const WatchedVertex watched = watched_vertex(snapshots, scene, options.vertex);
  reference.yardstick = make_yardstick(std::move(snapshots), mass, watched, 0);
  reference.factorization = solver.factorization_name();
  return reference;
}

Reference find_motion(const ReducedModel& model, const SparseMatrix& mass, const Scene& scene,
                      const ReferenceOptions& options, const Progress& progress) {
  constexpr int copies = 2;  // u and M u
  UnreducedMotion motion = move_unreduced(model.mesh, model.supports(), model.mass_matrix, scene, options.motion,
                                          copies, progress, {.displacements = {}, .heating = scene.heating});
  if (motion.status == BodyStatus::diverged)
    throw NumericalError("the unreduced body diverged: use another --dt or --substeps, or a smaller load");
  Reference reference;
  if (motion.status == BodyStatus::regularised)
    reference.warnings.emplace_back(
        "the unreduced body's system matrix had to be shifted: it is compressed strongly, or steps are long");
  if (motion.inverted > 0)
    reference.warnings.push_back("from " + significant(motion.inverted_since) + " s on the unreduced body has up to " +
                                 std::to_string(motion.inverted) + " " + turned_inside_out);
  const WatchedVertex watched = watched_vertex(motion.snapshots, scene, options.vertex);
  reference.yardstick = make_yardstick(std::move(motion.snapshots), mass, watched, motion.step_seconds);
  reference.factorization = motion.factorization;
  return reference;
}

}  // namespace quartic::cli
