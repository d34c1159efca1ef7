#include "core/modes/modes_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const ModesOperations& modes_operations(Backend backend) {
  return operations_on(backend, cpu_modes_operations, &CudaLibrary::modes);
}

}  // namespace quartic
