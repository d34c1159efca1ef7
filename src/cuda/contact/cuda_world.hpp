// A world on one device: bodies, shapes, and the stages of a step in the order of a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/contact/device_world.hpp"
#include "cuda/batch/batch.hpp"
#include "cuda/contact/candidates.hpp"
#include "cuda/contact/device_shapes.hpp"
#include "cuda/contact/device_trees.hpp"
#include "cuda/contact/near_bodies.hpp"
#include "cuda/contact/near_step.hpp"
#include "cuda/contact/prefix_sums.hpp"
#include "cuda/contact/saved_state.hpp"
#include "cuda/contact/world_view.hpp"
#include "quartic/cuda/world.hpp"

namespace quartic::cuda {

template <class T>
class CudaWorld final : public DeviceWorld<T> {
 public:
  /// @throws InputError for a rank that is too large, or more bodies than the device's memory holds
  CudaWorld(CudaBatch<T>& batch, const BoundTrees& trees, const ContactOptions& options);
  ~CudaWorld() override;

  [[nodiscard]] const BatchImpl<T>* batch() const override { return &batch_; }
  // Complete on return.
  void step(double dt, int substeps, std::vector<Collider>& colliders) override;
  [[nodiscard]] std::span<const Contact> contacts() override;
  [[nodiscard]] std::span<const double> wrench() override { return fetched(wrench_, host_wrench_); }
  [[nodiscard]] std::span<const double> impulse() override { return fetched(impulse_, host_impulse_); }

  // See quartic/cuda/world.hpp.
  [[nodiscard]] DeviceContacts device_contacts() const;
  void reserve(std::int64_t count);
  void send_colliders(std::span<const Collider> colliders);
  void step(double dt, int substeps, std::span<const Collider> colliders, cudaStream_t stream);

 private:
  void make_arrays(const BoundTrees& trees);
  [[nodiscard]] std::vector<NearKind> kinds(const BoundTrees& trees) const;
  [[nodiscard]] std::size_t bytes(const BoundTrees& trees, std::int64_t capacity) const;
  [[nodiscard]] bool has_old_models() const;
  void take_models();
  void take_memory();
  void make_room(std::int64_t needed);
  [[nodiscard]] WorldView<T> view(double h) const;
  void launch_steps(double h, int substeps, cudaStream_t stream);
  void run_steps(double h, int substeps, cudaStream_t stream);
  [[nodiscard]] std::span<const double> fetched(const DeviceArray<double>& from, std::vector<double>& to) const;
  [[nodiscard]] std::int64_t bodies() const { return batch_.options().bodies; }

  CudaBatch<T>& batch_;
  int device_;
  std::unique_ptr<DeviceGuard> guard_;  // during construction
  Stream stream_;
  CallerWork caller_work_;
  ContactOptions options_;
  NearShape near_shape_;

  // What bodies with contacts are stepped by, in double: the batch's own if it is.
  DeviceModels<double> models_;
  DeviceFrames<double> frames_;
  std::vector<SharedModel> known_models_;
  std::vector<SharedFrame> known_frames_;
  int known_memory_ = 0;

  DeviceTrees trees_;
  DeviceShapes shapes_;
  DeviceArray<std::int32_t> groups_, outcomes_, status_;
  DeviceArray<std::uint32_t> flags_;
  StateBlocks<T> next_;
  SavedState<T> saved_;
  Candidates candidates_;
  NearBodies near_bodies_;
  DeviceArray<double> wrench_, impulse_;
  DeviceArray<std::int64_t> touching_, firsts_, touching_count_;
  PrefixSums sums_;
  StepGraph graph_;

  mutable std::vector<Contact> host_contacts_;
  mutable std::vector<double> host_wrench_, host_impulse_;
};

}  // namespace quartic::cuda
