#include "cli/runs/exponential_simulation.hpp"

#include <chrono>
#include <utility>

#include "cli/runs/sum.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/error.hpp"
#include "quartic/exponential.hpp"

namespace quartic::cli {

namespace {

template <class T>
class ExponentialRun {
 public:
  ExponentialRun(const QuarticEnergy& energy, LoadProgram& loads, const SimulationOptions& options)
      : loads_(loads),
        options_(options),
        batch_(energy, {.bodies = options.batch.bodies,
                        .rayleigh_mass = options.batch.rayleigh_mass,
                        .rayleigh_stiffness = options.batch.rayleigh_stiffness,
                        .threads = options.batch.threads}) {
    simulation_.result.trajectory.bodies = batch_.bodies();
    simulation_.result.trajectory.rank = batch_.rank();
    simulation_.oscillators = batch_.oscillators(options.step());
  }

  ExponentialSimulation run(const Progress& progress) {
    SimulationResult& result = simulation_.result;
    set_force();
    record(0);
    result.first = totals();
    for (std::int64_t frame = 1; frame <= options_.frames; ++frame) {
      progress("simulate", static_cast<double>(frame - 1) / static_cast<double>(options_.frames));
      advance();
      record(frame);
    }
    result.last = totals();
    result.trajectory.status.assign(batch_.status().begin(), batch_.status().end());
    result.trajectory.flags.assign(batch_.flags().begin(), batch_.flags().end());
    return std::move(simulation_);
  }

 private:
  void set_force() {
    const std::vector<double>& force = loads_.at(batch_.time(), options_.step());
    const StateView<T> view = batch_.force();
    for (std::int64_t i = 0; i < view.rank; ++i)
      for (std::int64_t body = 0; body < view.bodies; ++body)
        view(i, body) = static_cast<T>(force[static_cast<std::size_t>(i)]);
  }

  /// To the next frame.
  void advance() {
    const auto begun = std::chrono::steady_clock::now();
    if (loads_.constant()) {
      batch_.step(options_.frame_time, options_.substeps);
    } else {
      for (int substep = 0; substep < options_.substeps; ++substep) {
        set_force();
        batch_.step(options_.step());
      }
    }
    simulation_.result.step_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  void record(std::int64_t frame) {
    Trajectory& trajectory = simulation_.result.trajectory;
    trajectory.time.push_back(static_cast<double>(frame) * options_.frame_time);
    const StateView<const T> q = std::as_const(batch_).q();
    for (std::int64_t body = 0; body < q.bodies; ++body)
      for (std::int64_t i = 0; i < q.rank; ++i) trajectory.q.push_back(static_cast<double>(q(i, body)));
  }

  [[nodiscard]] MotionTotals totals() const {
    return {.elastic = sum(batch_.elastic_energy()), .kinetic = sum(batch_.kinetic_energy())};
  }

  LoadProgram& loads_;
  const SimulationOptions& options_;
  ExponentialBatch<T> batch_;
  ExponentialSimulation simulation_;
};

}  // namespace

ExponentialSimulation simulate_exponentially(const QuarticEnergy& energy, LoadProgram& loads,
                                             const SimulationOptions& options, const Progress& progress) {
  const double state = static_cast<double>(options.batch.bodies) * energy.rank * sizeof(double);
  require_memory(
      state * (static_cast<double>(options.frames) + 5),
      counted(options.frames + 1, "frame", "frames") + " of " + counted(options.batch.bodies, "body", "bodies"),
      "use fewer steps with more substeps, or fewer bodies");
  if (options.precision == Precision::single_precision)
    return ExponentialRun<float>(energy, loads, options).run(progress);
  return ExponentialRun<double>(energy, loads, options).run(progress);
}

}  // namespace quartic::cli
