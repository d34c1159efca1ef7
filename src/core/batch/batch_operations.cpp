#include "core/batch/batch_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const BatchOperations& batch_operations(Backend backend) {
  return operations_on(backend, cpu_batch_operations, &CudaLibrary::batch);
}

}  // namespace quartic
