#include "core/device/device_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

// A device that has been found isn't looked for again: callers ask in each step.
const DeviceOperations& device_operations() {
  static const DeviceOperations& operations = *cuda_library().device;  // tried again if it throws
  return operations;
}

}  // namespace quartic
