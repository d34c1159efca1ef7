#include "cuda/base/device_pointer.hpp"

#include "cuda/base/runtime.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {

void require_device_pointer(const void* pointer, int device, const std::string& what) {
  if (pointer == nullptr) throw InputError(what + " is a null pointer");
  cudaPointerAttributes attributes = {};
  const cudaError_t result = cudaPointerGetAttributes(&attributes, pointer);
  if (result != cudaSuccess) cudaGetLastError();
  if (result != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered)
    throw InputError(what + " points to host memory, but must point to memory of CUDA device " +
                     std::to_string(device) + "; allocate it with cudaMalloc, or copy it there first");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
    throw InputError(what + " points to memory of CUDA device " + std::to_string(attributes.device) +
                     ", but the work is on device " + std::to_string(device));
}

}  // namespace quartic::cuda
