#include "core/modal/modal_operations.hpp"

#include "core/base/cuda_library.hpp"

namespace quartic {

const ModalOperations& modal_operations(Backend backend) {
  return operations_on(backend, cpu_modal_operations, &CudaLibrary::modal);
}

}  // namespace quartic
