#include "core/reduction/reduction_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const ReductionOperations& reduction_operations(Backend backend) {
  return operations_on(backend, cpu_reduction_operations, &CudaLibrary::reduction);
}

}  // namespace quartic
