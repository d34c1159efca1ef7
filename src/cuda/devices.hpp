// The devices of this machine.
#pragma once

#include "cuda/tile_plan.hpp"

namespace quartic::cuda {

/// @throws BackendUnavailable that says what is missing on the current device: driver, device, or code for it
void require_device();

/// The device that -1 stands for, or the given one. @throws BackendUnavailable, InputError if there is none of that
/// number
[[nodiscard]] int checked_device(int device);

/// Free, counting what the current memory pool keeps for later, and in all. Of the current device.
struct MemoryInfo {
  std::size_t available, total;
};
[[nodiscard]] MemoryInfo device_memory();

/// Of the current device.
[[nodiscard]] DeviceLimits device_limits();

}  // namespace quartic::cuda
