// Checks of pointers that callers pass.
#pragma once

#include <string>

namespace quartic::cuda {

/// @throws InputError unless work on this device can use the pointer
void require_device_pointer(const void* pointer, int device, const std::string& what);

}  // namespace quartic::cuda
