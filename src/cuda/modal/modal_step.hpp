// Steps of oscillators on a device.
#pragma once

#include <cstdint>

#include "core/modal/modal_impl.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// A modal batch's arrays in device memory, (k, pitch) each, whose rows are padded to 128 bytes.
template <class T>
struct ModalView {
  T *q, *velocity;
  const T* force;
  T* force_before;  // null for a force that is the same all along
  std::int64_t rank, bodies, pitch;
  std::int32_t* status;  // BodyStatus, shape (pitch)
  std::int32_t* failed;  // 1 where a state or energy of this step wasn't finite, shape (pitch)
};

/// Equal substeps of bodies that haven't diverged. @param steps shape (k)
template <class T>
void step_modes(const ModalView<T>& view, const PackedPropagator<T>* steps, int substeps, cudaStream_t stream);

/// Adds to q and velocity of bodies that haven't diverged. @param bodies each once, shape (count)
/// @param steps shape (k) @param q, velocity shape (count, k)
template <class T>
void add_jumps(const ModalView<T>& view, const PackedPropagator<T>* steps, const std::int64_t* bodies,
               std::int64_t count, const T* q, const T* velocity, cudaStream_t stream);

}  // namespace quartic::cuda
