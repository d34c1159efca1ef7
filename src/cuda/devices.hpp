// The devices of this machine.
#pragma once

#include "cuda/tile_plan.hpp"

namespace quartic::cuda {

/// @throws BackendUnavailable that says what is missing: driver, device, or a kernel for it
void require_device();

/// The device that -1 stands for, or the given one. @throws BackendUnavailable, InputError if there is none of that number
[[nodiscard]] int checked_device(int device);

/// Of the current device.
[[nodiscard]] DeviceLimits device_limits();

}  // namespace quartic::cuda
