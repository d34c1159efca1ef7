// The devices of this machine.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda/base/runtime.hpp"

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

/// Of the current device. @throws DeviceError that names what it is for and what is free, unless there are so many
/// bytes
void require_device_memory(std::size_t bytes, const char* purpose);

/// What of a device matters for how work on it is planned.
struct DeviceLimits {
  std::size_t shared_bytes = 0;     // of a block, at most
  std::size_t workspace_bytes = 0;  // of what is at work at once: so that it stays in the L2 cache
  std::size_t most_bytes = 0;       // of that in any case
  int multiprocessors = 1;          // at least as many blocks should be at work
  int float_over_double = 2;        // rates of arithmetic
};
/// Of the current device.
[[nodiscard]] DeviceLimits device_limits();

/// For destructors: null if the device has failed, or the program is at its end, so that nothing is left to save.
[[nodiscard]] std::unique_ptr<DeviceGuard> try_device(int device) noexcept;

}  // namespace quartic::cuda
