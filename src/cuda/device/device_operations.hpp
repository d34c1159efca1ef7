// The device's table for core/device/device_operations.hpp.
#pragma once

#include "core/device/device_operations.hpp"

namespace quartic::cuda {

extern const DeviceOperations device_operations;

}  // namespace quartic::cuda
