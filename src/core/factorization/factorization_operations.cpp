#include "core/factorization/factorization_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const FactorizationOperations& factorization_operations(Backend backend) {
  return operations_on(backend, cpu_factorization_operations, &CudaLibrary::factorization);
}

}  // namespace quartic
