// The inertia of a batch's free bodies on the device, and what their steps keep beside the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/frame/inertia_forms.hpp"
#include "cuda/base/runtime.hpp"
#include "cuda/frame/frame_view.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

template <class T>
class DeviceFrames {
 public:
  DeviceFrames() = default;
  /// @param frames by group, null for those without; nothing is allocated if all are
  /// @param motions of the frames
  DeviceFrames(std::span<const std::shared_ptr<const FrameMoments>> frames, std::span<const FrameMotion> motions,
               std::int64_t pitch, cudaStream_t stream);

  /// Of the same rank, for a group that has a frame. Synchronises with the stream.
  void set_frame(std::size_t group, const FrameMoments& frame, cudaStream_t stream);
  /// Models, momenta and angular velocities.
  void show(FrameArrays<T>& arrays) const;

  /// What a group with a frame takes.
  [[nodiscard]] static std::size_t bytes(int rank);
  /// Values of a body.
  static constexpr std::int64_t body_values = 6;

 private:
  struct Model {
    DeviceArray<T> forms, unit_acceleration;
  };

  [[nodiscard]] static FrameView<T> view_of(const InertiaForms& inertia, const Model& model);

  std::vector<Model> models_;
  std::vector<FrameView<T>> host_views_;
  DeviceArray<FrameView<T>> views_;
  DeviceArray<T> momentum_, next_spin_;
};

}  // namespace quartic::cuda
