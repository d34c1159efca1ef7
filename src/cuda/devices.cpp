#include "cuda/devices.hpp"

#include <algorithm>
#include <string>

#include "cuda/runtime.hpp"
#include "quartic/error.hpp"

namespace quartic::cuda {
namespace {

int device_count() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  throw BackendUnavailable(std::string("the backend 'cuda' finds no device: ") +
                           (result == cudaSuccess ? "there is none" : cudaGetErrorString(result)) +
                           "; use the backend 'cpu'");
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "ask for a property of the device");
  return value;
}

}  // namespace

void require_device() {
  static_cast<void>(device_count());
}

int checked_device(int device) {
  const int count = device_count();
  if (device < -1 || device >= count)
    throw InputError("BatchOptions::device is " + std::to_string(device) + ", but there are " + std::to_string(count) +
                     " CUDA devices, numbered from 0 (-1 is the current one)");
  int current = 0;
  check(cudaGetDevice(&current), "find the current device");
  const int chosen = device < 0 ? current : device;
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, chosen);
  if (major < 8)
    throw BackendUnavailable("CUDA device " + std::to_string(chosen) + " has compute capability " +
                             std::to_string(major) + ".x; quartic needs 8.0 or more. Use the backend 'cpu'");
  if (attribute(cudaDevAttrMemoryPoolsSupported, chosen) == 0)
    throw BackendUnavailable("CUDA device " + std::to_string(chosen) +
                             " has no memory pools; use the backend 'cpu'");
  return chosen;
}

DeviceLimits device_limits() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  std::size_t available = 0, total = 0;
  check(cudaMemGetInfo(&available, &total), "ask for free memory");
  DeviceLimits limits;
  limits.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  // The other half is for coefficients and state.
  limits.workspace_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device)) / 2;
  limits.most_bytes = available / 4;
  limits.fewest_tiles = std::max(1, attribute(cudaDevAttrMultiProcessorCount, device));
  return limits;
}

}  // namespace quartic::cuda
