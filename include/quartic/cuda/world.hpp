// Bodies that touch shapes, on a GPU, in the order of a CUDA stream of the caller's. The contract of all functions is
// in quartic/cuda.hpp.
//
// A step is one sequence of launches, of which nothing is read by the host. How many points may come to touch a shape
// is counted before their places are filled. `World::step` makes room where it doesn't suffice, and does the step
// again. A step in a stream can't: a body whose points don't fit steps without contacts and gets the flag
// `BodyFlags::contacts_lost`, and `DeviceContacts::needed` tells what would have been enough.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "quartic/contact.hpp"
#include "quartic/export.hpp"
#include "quartic/world.hpp"

namespace quartic::cuda {

/// Readout of a world in device memory, and its colliders there.
struct DeviceContacts {
  const Contact* contacts = nullptr;     ///< as World::contacts, of the last step; shape (capacity)
  const std::int64_t* count = nullptr;   ///< how many there are; one number
  const std::int64_t* needed = nullptr;  ///< room that steps would have taken so far, at most; one number
  std::int64_t capacity = 0;             ///< room that there is
  const double* wrench = nullptr;        ///< as World::contact_wrench, shape (B, 6)
  const double* impulse = nullptr;       ///< as World::contact_impulse, shape (B, 6)
  double* colliders = nullptr;           ///< pose and twist of each, as in Collider, shape (S, 13); free to be written
};

/// Valid until the world is stepped by `World::step`, or one of the next two functions is called.
/// @throws InputError if the world isn't on a GPU
template <class T>
[[nodiscard]] QUARTIC_EXPORT DeviceContacts device_contacts(World<T>& world);

/// Makes room for so many points that may come to touch a shape, and never less than there is. Waits for the device.
/// @throws InputError for a number that isn't > 0, or more than the device's memory holds
template <class T>
QUARTIC_EXPORT void reserve_contacts(World<T>& world, std::int64_t count);

/// Copies the world's colliders to the device, where steps in a stream move them on: `World::colliders` stays as it is.
/// Waits for the device.
template <class T>
QUARTIC_EXPORT void send_colliders(World<T>& world);

/// As World::step, but in a stream, with the colliders that are on the device. As for a batch, the second of two steps
/// with equal dt and substeps makes a graph. If the stream is being captured, the launches themselves are captured;
/// such a graph stays valid as long as `device_contacts` does, and the batch's load curves.
/// @throws InputError as World::step, or if `World::colliders` has other shapes than the device
template <class T>
QUARTIC_EXPORT void step(World<T>& world, double dt, int substeps, cudaStream_t stream);

}  // namespace quartic::cuda
