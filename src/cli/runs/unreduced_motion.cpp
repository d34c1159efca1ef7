#include "cli/runs/unreduced_motion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"
#include "quartic/statics.hpp"

namespace quartic::cli {

namespace {

UnreducedOptions unreduced_options(const MotionOptions& options, MassMatrix mass) {
  const BatchOptions batch = batch_options(options, true);
  return {.integrator = batch.integrator,
          .rayleigh_mass = batch.rayleigh_mass,
          .rayleigh_stiffness = batch.rayleigh_stiffness,
          .strain_damping = options.strain_damping,
          .newton_iterations = batch.newton_iterations,
          .mass_matrix = mass};
}

void require_memory(const VolumeMesh& mesh, const MotionOptions& options, int copies) {
  const double need =
      8.0 * copies * static_cast<double>(mesh.vertices.size()) * (static_cast<double>(options.frames) + 1);
  quartic::require_memory(
      need,
      counted(options.frames + 1, "frame", "frames") + " of " + counted(mesh.vertex_count(), "vertex", "vertices"),
      "use fewer steps with more substeps, or a coarser mesh");
}

}  // namespace

std::vector<double> load_at_start(const SparseMatrix& mass, const Scene& scene, bool may_be_none) {
  std::vector<double> force(static_cast<std::size_t>(mass.rows));
  VertexLoadProgram(mass, scene).at(0, 0, force);
  if (!may_be_none && std::all_of(force.begin(), force.end(), [](double x) { return std::abs(x) < 1e-100; }))
    throw InputError(
        "no load acts at time 0, for which an equilibrium is sought; give --gravity, --pressure, or "
        "forces without times");
  return force;
}

UnreducedMotion move_unreduced(const VolumeMesh& mesh, const Supports& supports, MassMatrix mass, const Scene& scene,
                               const MotionOptions& options, int copies, const Progress& progress,
                               const UnreducedStart& start) {
  using Clock = std::chrono::steady_clock;
  require_memory(mesh, options, copies);
  UnreducedOptions body_options = unreduced_options(options, mass);
  body_options.heating = start.heating;
  body_options.chambers.assign(start.chambers.begin(), start.chambers.end());
  if (!start.driven.empty()) body_options.driven = driven_fields(mesh, supports, start.driven);
  UnreducedBody body(mesh, supports, body_options);
  const VertexLoadProgram loads(body.mass(), scene);
  UnreducedMotion motion;
  motion.snapshots.displacements = Matrix(3 * mesh.vertex_count(), options.frames + 1);
  motion.snapshots.time = {0};
  if (!start.moved.empty()) body.place_driven(places_at(start.moved, scene, 0), rates_at(start.moved, scene, 0));
  std::ranges::copy(start.displacements, body.displacement().begin());
  std::ranges::copy(body.displacement(), motion.snapshots.displacements.col(0).begin());
  motion.first_energy = body.elastic_energy() + body.kinetic_energy();
  std::vector<double> seconds;
  for (std::int64_t frame = 1; frame <= options.frames; ++frame) {
    progress("unreduced motion", static_cast<double>(frame - 1) / static_cast<double>(options.frames));
    for (int substep = 0; substep < options.substeps; ++substep) {
      const double dt = options.step(), time = static_cast<double>((frame - 1) * options.substeps + substep) * dt;
      loads.at(time, dt, body.force());
      for (std::size_t c = 0; c < start.pressures.size(); ++c)
        body.set_pressure(scene.scale(time, dt) * start.pressures[c].at(time + scene.step_share * dt),
                          static_cast<int>(c));
      if (!start.moved.empty()) body.set_driven(places_at(start.moved, scene, time + dt));
      const auto begun = Clock::now();
      body.step(dt);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
    }
    motion.snapshots.time.push_back(static_cast<double>(frame) * options.frame_time);
    std::copy(body.displacement().begin(), body.displacement().end(),
              motion.snapshots.displacements.col(frame).begin());
    const std::int64_t inverted = inverted_elements(mesh, body.displacement());
    if (inverted > 0 && motion.inverted == 0) motion.inverted_since = motion.snapshots.time.back();
    motion.inverted = std::max(motion.inverted, inverted);
  }
  std::nth_element(seconds.begin(), seconds.begin() + std::ssize(seconds) / 2, seconds.end());
  motion.step_seconds = seconds[seconds.size() / 2];
  motion.last_energy = body.elastic_energy() + body.kinetic_energy();
  motion.status = body.status();
  motion.factorization = body.factorization_name();
  return motion;
}

}  // namespace quartic::cli
