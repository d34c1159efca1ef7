// The state of a batch on one device, and the work on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/batch/step_settings.hpp"
#include "cuda/base/devices.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/batch/caller_work.hpp"
#include "cuda/batch/device_curves.hpp"
#include "cuda/batch/device_gases.hpp"
#include "cuda/batch/device_strain_damping.hpp"
#include "cuda/batch/host_copies.hpp"
#include "cuda/batch/range_check.hpp"
#include "cuda/batch/reset_bodies.hpp"
#include "cuda/batch/state_blocks.hpp"
#include "cuda/batch/step_graph.hpp"
#include "cuda/batch/step_workspace.hpp"
#include "cuda/batch/steps/latency_plan.hpp"
#include "cuda/batch/tile_plan.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/device_models.hpp"
#include "cuda/energy/evaluator.hpp"
#include "cuda/energy/strain_forces.hpp"
#include "cuda/frame/device_frames.hpp"

namespace quartic::cuda {

template <class T>
class CudaBatch final : public BatchImpl<T> {
 public:
  /// @throws InputError for a device that isn't there, a rank too large for it, or more bodies than its memory holds
  CudaBatch(std::vector<BodyGroup> groups, const BatchOptions& options);
  ~CudaBatch() override;

  // Through host memory: each call is complete on return. From the first call of the other kind on, nothing is copied
  // but by `send` and `fetch`.
  StateView<T> state(StateArray which) override;
  StateView<const T> read_state(StateArray which) override;
  void step(double dt, int substeps) override;
  [[nodiscard]] std::span<const BodyStatus> status() const override;
  void set_status(std::span<const BodyStatus> status) override;
  void reset_status() override;
  [[nodiscard]] std::span<const BodyFlags> flags() const override;
  void set_flags(std::span<const BodyFlags> flags) override;
  std::span<const BodyFlags> check_range() override;
  void elastic_energy(std::span<double> result) override;
  void kinetic_energy(std::span<double> result) override;
  [[nodiscard]] double time() const override;
  void set_time(double time) override;

  // In the order of a stream of the caller's, see quartic/cuda.hpp.
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] StateView<T> device_state(StateArray which);
  [[nodiscard]] const BodyStatus* device_status() const { return reinterpret_cast<BodyStatus*>(status_.data()); }
  [[nodiscard]] const BodyFlags* device_flags() const { return reinterpret_cast<BodyFlags*>(flags_.data()); }
  [[nodiscard]] const BodyFlags* device_range_flags() const {
    return reinterpret_cast<BodyFlags*>(range_flags_.data());
  }
  /// Null without chambers. From now on what the host has of parameters is fetched each time.
  [[nodiscard]] T* device_pressure();
  void step(double dt, int substeps, cudaStream_t stream);
  void check_range(cudaStream_t stream);
  void reset_bodies(const std::uint8_t* mask, const BodyStart<T>& start, cudaStream_t stream);
  void reset_bodies(const std::int32_t* numbers, std::int64_t count, const BodyStart<T>& start, cudaStream_t stream);
  void set_rayleigh_damping(const T* mass, const T* stiffness, cudaStream_t stream);
  void set_stiffness_scale(const T* scale, cudaStream_t stream);
  void set_pressure(const T* pressure, int chamber, cudaStream_t stream);
  void send(cudaStream_t stream);
  void fetch(cudaStream_t stream);

  // For what steps bodies beside it (cuda/contact).
  [[nodiscard]] BatchView<T> view() const;
  [[nodiscard]] CurveView curves() const { return curves_.view(); }
  /// How often memory that captured steps hold was replaced.
  [[nodiscard]] int memory_changes() const { return memory_changes_; }
  [[nodiscard]] double* device_time() const { return time_.data(); }
  [[nodiscard]] const StateBlocks<T>& device_blocks() const { return state_; }
  [[nodiscard]] cudaStream_t own_stream() const { return stream_.get(); }
  void launch_steps(double dt, int substeps, cudaStream_t stream);
  /// Work on the state around which the host's copies are sent and fetched, as `step`; complete on return.
  void run(const std::function<void(cudaStream_t)>& work);
  /// The same in a stream of the caller's, which may be captured.
  void run(cudaStream_t stream, const std::function<void(cudaStream_t)>& work);

 private:
  void take_model(std::size_t group, const SharedModel& model) override;
  void take_model_range(std::size_t group, const ModelRange& range) override;
  void take_frame(std::size_t group, const SharedFrame& frame) override;
  void take_strain_dampings(const std::vector<SharedStrainDamping>& forms, std::span<const T> time) override;
  void take_parameters(const BodyParameters<T>& parameters) override;
  void take_pressure(std::size_t chamber, std::span<const T> pressure) override;
  void fetch_parameters(BodyParameters<T>& parameters) override;

  void make_plan(const DeviceLimits& limits);
  // What a plan has to make room for, which may come and go.
  struct Besides {
    bool has_gases = false;
    std::vector<bool> is_damped = {};  // of each group, by strain rates; none if this is empty
  };
  // What follows from a plan.
  struct PlannedSteps {
    TilePlan plan;
    DeviceArray<Tile> tiles;
    std::unique_ptr<Evaluator<T>> evaluator;
    StepWorkspace<T> workspace;
  };
  [[nodiscard]] TilePlan planned(const DeviceLimits& limits, const Besides& besides) const;
  [[nodiscard]] PlannedSteps plan_steps(const DeviceLimits& limits, const Besides& besides);
  void take_steps(PlannedSteps steps, Besides besides);
  void make_arrays();
  void take_gases(const BodyParameters<T>& parameters);
  void put_at_rest();
  void launch_some_steps(double dt, int substeps, cudaStream_t stream);
  void launch_step(const BatchView<T>& batch, const StepSettings<T>& settings, bool h_is_current,
                   const StepShape& shape, cudaStream_t stream) const;
  void launch_chunk(const BatchView<T>& batch, const Chunk& chunk, double dt, int substeps, int before,
                    cudaStream_t stream) const;
  void launch_chunks(double dt, int substeps, cudaStream_t stream);
  void launch_latency_steps(double dt, int substeps, cudaStream_t stream);
  [[nodiscard]] const Evaluator<T>& evaluator_of(const Chunk& chunk) const;
  void run_steps(double dt, int substeps, cudaStream_t stream);
  void launch_range_checks(cudaStream_t stream) const;
  /// reset(group's number, its range, kind of frame, start) for all groups.
  template <class Reset>
  void reset_groups(const BodyStart<T>& start, cudaStream_t stream, const Reset& reset);
  void copy_parameters(T* to, const T* from, cudaStream_t stream);
  std::span<const BodyFlags> fetched(const DeviceArray<std::uint32_t>& flags, std::vector<BodyFlags>& copy) const;
  void copy_energies(std::span<double> result) const;
  [[nodiscard]] FrameKind kind_of_frame(std::size_t group) const;
  [[nodiscard]] StateView<T> view_of(StateArray which, T* values) const;
  [[nodiscard]] T* host_copy(StateArray which, bool to_write);
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }

  int device_;
  std::unique_ptr<DeviceGuard> guard_;  // during construction
  Stream stream_;
  CallerWork caller_work_;
  std::int64_t pitch_;
  TilePlan plan_;
  std::vector<std::optional<LatencyPlan>> latency_plans_;  // of each group: of those without tiles

  DeviceModels<T> models_;
  DeviceFrames<T> frames_;
  DeviceArray<Tile> tiles_;
  std::unique_ptr<Evaluator<T>> evaluator_;  // of models without a strain form
  StrainEvaluator<T> strain_evaluator_;
  StateBlocks<T> state_;
  DeviceArray<std::int32_t> status_;
  DeviceArray<std::uint32_t> flags_, range_flags_;  // the second: of the last check
  std::vector<DeviceRange<T>> ranges_of_models_;    // by group
  DeviceArray<T> rayleigh_mass_, rayleigh_stiffness_, stiffness_scale_;
  DeviceArray<T> pressure_;                               // shape (chambers, bodies)
  std::optional<DeviceGases<T>> gases_;                   // where there is one
  std::optional<DeviceStrainDamping<T>> strain_damping_;  // where a body has one
  Besides besides_;
  bool has_own_parameters_ = false;       // those four may not be what the host has
  bool has_captured_parameters_ = false;  // at any time, by a graph of the caller's
  DeviceCurves<T> curves_;
  int memory_changes_ = 0;
  StepWorkspace<T> workspace_;
  DeviceArray<double> time_, substep_time_, energies_;

  HostCopies<T> host_copies_{this->layout().size()};
  mutable std::vector<BodyStatus> host_status_;
  mutable std::vector<BodyFlags> host_flags_, host_range_flags_;
  StepGraph graph_;
};

}  // namespace quartic::cuda
