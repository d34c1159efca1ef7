// The device's table for core/contact/device_world.hpp.
#pragma once

#include "core/contact/device_world.hpp"

namespace quartic::cuda {

extern const DeviceWorldOperations world_operations;

}  // namespace quartic::cuda
