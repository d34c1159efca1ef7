#include "cli/runs/modal_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "cli/runs/sum.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

ModalOptions modal_options(const BatchOptions& options) {
  return {.bodies = options.bodies,
          .rayleigh_mass = options.rayleigh_mass,
          .rayleigh_stiffness = options.rayleigh_stiffness,
          .damping_ratios = {},
          .threads = options.threads,
          .backend = options.backend,
          .device = options.device};
}

template <class T>
class ModalRun {
 public:
  ModalRun(const ReducedModel& model, LoadProgram& loads, const SimulationOptions& options)
      : loads_(loads), options_(options), batch_(model.eigenvalues, modal_options(options.batch)) {
    Trajectory& trajectory = simulation_.result.trajectory;
    trajectory.coordinates = Coordinates::linear_modes;
    trajectory.bodies = batch_.bodies();
    trajectory.rank = batch_.rank();
    simulation_.overdamped_modes = batch_.overdamped_modes();
    if (!options.resume.empty()) simulation_.result.resume_warnings = load_checkpoint(batch_, options.resume);
    start_ = batch_.time();
  }

  ModalSimulation run(const Progress& progress) {
    SimulationResult& result = simulation_.result;
    set_force(batch_.time());
    record(0);
    result.first = totals();
    for (std::int64_t frame = 1; frame <= options_.frames; ++frame) {
      progress("simulate", static_cast<double>(frame - 1) / static_cast<double>(options_.frames));
      advance();
      record(frame);
    }
    result.last = totals();
    result.trajectory.status.assign(batch_.status().begin(), batch_.status().end());
    if (!options_.checkpoint.empty()) save();
    return std::move(simulation_);
  }

 private:
  /// The motion isn't lost if that fails.
  void save() {
    try {
      save_checkpoint(batch_, options_.checkpoint);
    } catch (const Error& error) {
      simulation_.result.checkpoint_failure = error.what();
    }
  }

  void set_force(double time) {
    const std::vector<double>& force = loads_.at(time, options_.step());
    const StateView<T> view = batch_.force();
    for (std::int64_t mode = 0; mode < view.rank; ++mode)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        view(mode, body) = static_cast<T>(force[static_cast<std::size_t>(mode)]);
  }

  /// To the next frame.
  void advance() {
    const auto begun = std::chrono::steady_clock::now();
    if (loads_.constant()) {
      batch_.step(options_.frame_time, options_.substeps);
    } else {
      for (int substep = 0; substep < options_.substeps; ++substep) {
        set_force(batch_.time());
        batch_.step(options_.step());
      }
    }
    simulation_.result.step_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  void record(std::int64_t frame) {
    Trajectory& trajectory = simulation_.result.trajectory;
    trajectory.time.push_back(start_ + static_cast<double>(frame) * options_.frame_time);
    const StateView<const T> q = std::as_const(batch_).q();
    for (std::int64_t body = 0; body < q.bodies; ++body)
      for (std::int64_t mode = 0; mode < q.rank; ++mode) trajectory.q.push_back(static_cast<double>(q(mode, body)));
  }

  [[nodiscard]] MotionTotals totals() const {
    return {.elastic = sum(batch_.elastic_energy()), .kinetic = sum(batch_.kinetic_energy())};
  }

  LoadProgram& loads_;
  const SimulationOptions& options_;
  ModalBatch<T> batch_;
  double start_ = 0;  // time of frame 0 [s]
  ModalSimulation simulation_;
};

}  // namespace

ModalSimulation simulate_modes(const ReducedModel& model, LoadProgram& loads, const SimulationOptions& options,
                               const Progress& progress) {
  const double state = static_cast<double>(options.batch.bodies) * static_cast<double>(model.rank()) * sizeof(double);
  require_memory(
      state * (static_cast<double>(options.frames) + 5),
      counted(options.frames + 1, "frame", "frames") + " of " + counted(options.batch.bodies, "body", "bodies"),
      "use fewer steps with more substeps, or fewer bodies");
  if (options.precision == Precision::single_precision) return ModalRun<float>(model, loads, options).run(progress);
  return ModalRun<double>(model, loads, options).run(progress);
}

}  // namespace quartic::cli
