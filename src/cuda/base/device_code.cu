// A kernel to ask for: all others are compiled for the same devices.
#include "cuda/base/device_code.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {
namespace {

__global__ void no_work() {}

}  // namespace

bool has_code() {
  cudaFuncAttributes attributes = {};
  const bool found = cudaFuncGetAttributes(&attributes, no_work) == cudaSuccess;
  if (!found) cudaGetLastError();
  return found;
}

}  // namespace quartic::cuda
