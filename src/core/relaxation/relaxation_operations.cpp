#include "core/relaxation/relaxation_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const RelaxationOperations& relaxation_operations(Backend backend) {
  return operations_on(backend, cpu_relaxation_operations, &CudaLibrary::relaxation);
}

}  // namespace quartic
