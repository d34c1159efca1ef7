// The state of a batch on one device, and the work on it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/batch/device_curves.hpp"
#include "cuda/batch/latency_plan.hpp"
#include "cuda/batch/step_graph.hpp"
#include "cuda/batch/tile_plan.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/product.hpp"

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
  void elastic_energy(std::span<double> result) override;
  void kinetic_energy(std::span<double> result) override;
  [[nodiscard]] double time() const override;
  void set_time(double time) override;

  // In the order of a stream of the caller's, see quartic/cuda.hpp.
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] StateView<T> device_state(StateArray which);
  [[nodiscard]] const BodyStatus* device_status() const { return reinterpret_cast<BodyStatus*>(status_.data()); }
  void step(double dt, int substeps, cudaStream_t stream);
  void send(cudaStream_t stream);
  void fetch(cudaStream_t stream);

 private:
  struct Model {
    DeviceArray<T> coefficients;
    DeviceArray<MonomialPair> pairs;
    DeviceArray<T> strain_factor, strain_transposed;  // for Evaluation::accurate
    DeviceArray<double> energy;                       // for elastic energies, made on first use
  };
  struct HostCopy {
    PinnedArray<T> values;  // none until somebody asks
    bool may_be_written = false;
  };

  void take_model(std::size_t group, const SharedModel& model) override;
  void take_parameters(const BodyParameters<T>& parameters) override;

  void make_models(const std::vector<std::vector<T>>& coefficients, const std::vector<BodyGroup>& groups);
  void add_strains(const StrainForm& form, Model& model, ModelView<T>& view) const;
  void make_workspace();
  [[nodiscard]] BatchView<T> view() const;
  void launch_steps(double dt, int substeps, cudaStream_t stream);
  void launch_some_steps(double dt, int substeps, cudaStream_t stream);
  void launch_chunk(const BatchView<T>& batch, const Chunk& chunk, double dt, int substeps, int before,
                    cudaStream_t stream) const;
  void launch_latency_steps(double dt, int substeps, cudaStream_t stream);
  void run_steps(double dt, int substeps, cudaStream_t stream);
  [[nodiscard]] std::int64_t most_launches(std::int64_t substeps) const;
  void wait_for_callers() const;
  void note_caller_work(cudaStream_t stream);
  [[nodiscard]] HostCopy& host_copy(StateArray which);
  void send_all(cudaStream_t stream);
  void fetch(std::size_t array, cudaStream_t stream);
  void copy_energies(std::span<double> result) const;
  [[nodiscard]] std::int64_t bodies() const { return this->options().bodies; }

  int device_;
  std::unique_ptr<DeviceGuard> guard_;  // during construction
  Stream stream_;
  Event caller_work_;             // after the last work in a caller's stream
  bool callers_at_work_ = false;  // or were
  bool copies_are_explicit_ = false;
  std::int64_t pitch_;
  TilePlan plan_;                           // without tiles for Evaluation::latency
  std::vector<LatencyPlan> latency_plans_;  // for that alone, by model

  std::vector<Model> models_;
  DeviceArray<ModelView<T>> model_views_;
  DeviceArray<Tile> tiles_;
  DeviceArray<T> state_[4];
  DeviceArray<T> rayleigh_mass_, rayleigh_stiffness_, last_squares_;
  DeviceArray<std::int32_t> status_;
  DeviceArray<std::uint8_t> progress_;
  DeviceArray<T> points_, second_points_, h_, second_h_, increment_, system_, strains_;
  DeviceArray<double> time_, substep_time_, energies_;
  DeviceCurves<T> curves_;
  std::unique_ptr<Product<T>> product_;  // for Evaluation::cublas and tensor

  HostCopy host_[4];
  mutable std::vector<BodyStatus> host_status_;
  StepGraph graph_;
};

}  // namespace quartic::cuda
