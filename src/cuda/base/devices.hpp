// The devices of this machine.
#pragma once

#include <memory>

#include "cuda/base/runtime.hpp"
#include "cuda/batch/tile_plan.hpp"

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

/// For destructors: null if the device has failed, or the program is at its end, so that nothing is left to save.
[[nodiscard]] std::unique_ptr<DeviceGuard> try_device(int device) noexcept;

}  // namespace quartic::cuda
