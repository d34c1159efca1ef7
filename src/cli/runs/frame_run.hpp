// What runs of modal and of exponential batches share: from frame to frame under a load program.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "cli/options/loads.hpp"
#include "cli/runs/simulation.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"

namespace quartic::cli {

/// @throws InputError if the frames don't fit into memory
inline void require_memory_for_frames(const SimulationOptions& options, std::int64_t rank) {
  const double state = static_cast<double>(options.batch.bodies) * static_cast<double>(rank) * sizeof(double);
  quartic::require_memory(
      state * (static_cast<double>(options.frames) + 5),
      counted(options.frames + 1, "frame", "frames") + " of " + counted(options.batch.bodies, "body", "bodies"),
      "use fewer steps with more substeps, or fewer bodies");
}

/// @tparam Batch `ModalBatch` or `ExponentialBatch` of T
template <class Batch, class T>
class FrameRun {
 public:
  /// The first frame is the batch's state as it is.
  /// @param own_step takes one step of the batch, with loads of its own, in place of steps under `loads`
  /// @param look sees the batch in every frame
  FrameRun(Batch& batch, LoadProgram& loads, const SimulationOptions& options, std::function<void()> own_step = {},
           std::function<void()> look = {})
      : batch_(batch),
        loads_(loads),
        options_(options),
        own_step_(std::move(own_step)),
        look_(std::move(look)),
        start_(batch.time()) {
    result_.trajectory.bodies = batch_.bodies();
    result_.trajectory.rank = batch_.rank();
  }

  SimulationResult run(const Progress& progress) {
    set_force();
    record(0);
    result_.first = totals();
    for (std::int64_t frame = 1; frame <= options_.frames; ++frame) {
      progress("simulate", static_cast<double>(frame - 1) / static_cast<double>(options_.frames));
      advance();
      record(frame);
    }
    result_.last = totals();
    result_.trajectory.status.assign(batch_.status().begin(), batch_.status().end());
    note_lost_energies();
    return std::move(result_);
  }

 private:
  /// States may be finite whose squares aren't.
  void note_lost_energies() {
    const std::vector<double> elastic = batch_.elastic_energy(), kinetic = batch_.kinetic_energy();
    for (std::size_t body = 0; body < elastic.size(); ++body)
      if (!std::isfinite(elastic[body] + kinetic[body])) result_.trajectory.status[body] = BodyStatus::diverged;
  }

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
    if (own_step_) {
      for (int substep = 0; substep < options_.substeps; ++substep) own_step_();
    } else if (loads_.constant()) {
      batch_.step(options_.frame_time, options_.substeps);
    } else {
      for (int substep = 0; substep < options_.substeps; ++substep) {
        set_force();
        batch_.step(options_.step());
      }
    }
    result_.step_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  void record(std::int64_t frame) {
    if (look_) look_();
    Trajectory& trajectory = result_.trajectory;
    trajectory.time.push_back(start_ + static_cast<double>(frame) * options_.frame_time);
    const StateView<const T> q = std::as_const(batch_).q();
    for (std::int64_t body = 0; body < q.bodies; ++body)
      for (std::int64_t i = 0; i < q.rank; ++i) trajectory.q.push_back(static_cast<double>(q(i, body)));
  }

  [[nodiscard]] MotionTotals totals() const {
    const auto sum = [](const std::vector<double>& bodies) {
      return std::accumulate(bodies.begin(), bodies.end(), 0.0);
    };
    return {.elastic = sum(batch_.elastic_energy()), .kinetic = sum(batch_.kinetic_energy())};
  }

  Batch& batch_;
  LoadProgram& loads_;
  const SimulationOptions& options_;
  std::function<void()> own_step_, look_;
  double start_;  // time of frame 0 [s]
  SimulationResult result_;
};

}  // namespace quartic::cli
