// Bodies of a batch that start anew, in device memory.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "cuda/energy/batch_view.hpp"
#include "quartic/batch.hpp"

namespace quartic::cuda {

/// A view as kernels take it; null for zeros.
template <class T>
struct StartRows {
  const T* data;
  std::int64_t stride_row, stride_body;
};

/// Of BodyStart.
template <class T>
struct DeviceStart {
  StartRows<T> q, velocity, pose, twist;
};

/// What a group's bodies have of a frame.
enum class FrameKind : std::uint8_t { none, free, prescribed };

/// Those of a group whose mask isn't 0. @param mask shape (B) of the batch, as the views of `start`
template <class T>
void reset_bodies(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, const std::uint8_t* mask,
                  const DeviceStart<T>& start, cudaStream_t stream);

/// Those of a group with these numbers; others aren't looked at. @param numbers shape (count), in device memory
template <class T>
void reset_bodies(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, const std::int32_t* numbers,
                  std::int64_t count, const DeviceStart<T>& start, cudaStream_t stream);

}  // namespace quartic::cuda
