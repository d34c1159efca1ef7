// Batches in the order of a CUDA stream of the caller's. The contract of all functions is in quartic/cuda.hpp.
//
// After the first call of one of these functions for a batch, its state is kept on the device: Batch::q() etc. still
// give copies in host memory, but only `send` and `fetch` copy between those and the device. Member functions of Batch
// synchronise with the work that the functions with a stream enqueued, but for `copy_state`. They can't know of other
// work on the state, such as launches of captured graphs and the caller's own kernels: synchronise with that first, and
// also before the batch is destroyed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "quartic/batch.hpp"
#include "quartic/cuda/device_state.hpp"

namespace quartic::cuda {

/// Valid, at the same addresses, as long as the batch exists. @throws InputError if the batch isn't on a GPU
template <class T>
[[nodiscard]] QUARTIC_EXPORT DeviceState<T> device_state(Batch<T>& batch);

/// The number of the device that a batch is on. @throws InputError if it isn't on a GPU
template <class T>
[[nodiscard]] QUARTIC_EXPORT int device(const Batch<T>& batch);

/// As Batch::step, but in a stream. The second of two steps with equal dt and substeps makes a graph of the launches,
/// which allocates; further steps with the same numbers only launch it. If the stream is being captured, the launches
/// themselves are captured. A graph of the caller's stays valid until the batch is destroyed or gets other load curves,
/// and continues from the batch's current time. Steps of one batch must not overlap: order streams by events.
template <class T>
QUARTIC_EXPORT void step(Batch<T>& batch, double dt, int substeps, cudaStream_t stream);

/// As Batch::check_range, but in a stream: the flags are left in `DeviceState::range_flags` and added to `flags`. A
/// captured check stays valid until the batch is destroyed or gets another range.
template <class T>
QUARTIC_EXPORT void check_range(Batch<T>& batch, cudaStream_t stream);

/// Copies to the device those state arrays that were obtained for writing from Batch::q() etc. The host's copies must
/// stay unchanged until the stream has reached this point.
template <class T>
QUARTIC_EXPORT void send(Batch<T>& batch, cudaStream_t stream);

/// Copies to the host all state arrays that it has a copy of; complete once the stream has reached this point.
template <class T>
QUARTIC_EXPORT void fetch(Batch<T>& batch, cudaStream_t stream);

/// As quartic::reset_bodies, but in a stream, with mask and start in device memory: nothing waits, and it may be
/// captured. Mask and start must stay until the stream has reached this point. What only the device knows isn't
/// checked: a body whose start isn't finite, or has a quaternion of length zero, diverges in its next step, which makes
/// other quaternions unit ones.
/// @param mask shape (B)
/// @throws InputError for sizes that don't fit, memory that the device can't use, or a pose or twist where no group has
/// a frame
template <class T>
QUARTIC_EXPORT void reset_bodies(Batch<T>& batch, const std::uint8_t* mask, const BodyStart<T>& start,
                                 cudaStream_t stream);

/// The same of the bodies with these numbers, in any order. Numbers that no body has are left out.
/// @param numbers shape (count), in device memory; count may be 0
template <class T>
QUARTIC_EXPORT void reset_bodies(Batch<T>& batch, const std::int32_t* numbers, std::int64_t count,
                                 const BodyStart<T>& start, cudaStream_t stream);

/// As Batch::set_rayleigh_damping and Batch::set_stiffness_scale, but in a stream, from arrays of shape (B) in device
/// memory, which must stay until the stream has reached this point. May be captured. What only the device knows isn't
/// checked: bodies with numbers that aren't finite diverge; others must be in the ranges of those functions. The
/// functions that tell these parameters, and checkpoints, fetch them from the device, and wait for it.
/// @throws InputError for memory that the device can't use; nothing is changed then
template <class T>
QUARTIC_EXPORT void set_rayleigh_damping(Batch<T>& batch, const T* mass, const T* stiffness, cudaStream_t stream);
template <class T>
QUARTIC_EXPORT void set_stiffness_scale(Batch<T>& batch, const T* scale, cudaStream_t stream);

/// As Batch::set_pressure, in the same way: an input of each step, which the host needn't see or wait for.
/// @param pressure [Pa], shape (B) @throws InputError also for a chamber that no group has
template <class T>
QUARTIC_EXPORT void set_pressure(Batch<T>& batch, const T* pressure, int chamber, cudaStream_t stream);

/// Copies between device views of equal shape and any strides, for example a (B, r) tensor. @throws InputError if
/// shapes differ
QUARTIC_EXPORT void copy_state(StateView<const float> from, StateView<float> to, cudaStream_t stream);
QUARTIC_EXPORT void copy_state(StateView<const double> from, StateView<double> to, cudaStream_t stream);

}  // namespace quartic::cuda
