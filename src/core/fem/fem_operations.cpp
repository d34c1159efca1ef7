#include "core/fem/fem_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const FemOperations& fem_operations(Backend backend) {
  return operations_on(backend, cpu_fem_operations, &CudaLibrary::fem);
}

}  // namespace quartic
