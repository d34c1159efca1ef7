#include "core/device/device_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const DeviceOperations& device_operations() {
  return *cuda_library().device;
}

}  // namespace quartic
