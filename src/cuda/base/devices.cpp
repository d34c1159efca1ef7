#include "cuda/base/devices.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "cuda/base/device_code.hpp"
#include "cuda/base/runtime.hpp"
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
  static_cast<void>(checked_device(-1));
}

int checked_device(int device) {
  const int count = device_count();
  if (device < -1 || device >= count)
    throw InputError("the option `device` is " + std::to_string(device) + ", but there are " + std::to_string(count) +
                     " CUDA devices, numbered from 0 (-1 is the current one)");
  int current = 0;
  check(cudaGetDevice(&current), "find the current device");
  const int chosen = device < 0 ? current : device;
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, chosen);
  if (major < 8)
    throw BackendUnavailable("CUDA device " + std::to_string(chosen) + " has compute capability " +
                             std::to_string(major) + ".x; quartic needs 8.0 or more. Use the backend 'cpu'");
  if (attribute(cudaDevAttrMemoryPoolsSupported, chosen) == 0)
    throw BackendUnavailable("CUDA device " + std::to_string(chosen) + " has no memory pools; use the backend 'cpu'");
  const DeviceGuard guard(chosen);
  if (!has_code())
    throw BackendUnavailable("this build of quartic has no code for CUDA device " + std::to_string(chosen) +
                             "; set CMAKE_CUDA_ARCHITECTURES, or use the backend 'cpu'");
  return chosen;
}

MemoryInfo device_memory() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  MemoryInfo info = {};
  check(cudaMemGetInfo(&info.available, &info.total), "ask for free memory");
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetMemPool(&pool, device), "find the memory pool");
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "look at the memory pool");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "look at the memory pool");
  if (reserved > used) info.available += static_cast<std::size_t>(reserved - used);
  return info;
}

void require_device_memory(std::size_t bytes, const char* purpose) {
  const std::size_t available = device_memory().available;
  if (bytes <= available) return;
  constexpr double mebibyte = 1 << 20;
  throw DeviceError(std::string(purpose) + " needs " +
                    std::to_string(static_cast<std::int64_t>(static_cast<double>(bytes) / mebibyte) + 1) +
                    " MiB of device memory, but " +
                    std::to_string(static_cast<std::int64_t>(static_cast<double>(available) / mebibyte)) +
                    " MiB are free; use the backend 'cpu', or a coarser mesh");
}

DeviceLimits device_limits() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  DeviceLimits limits;
  limits.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  // The other half is for coefficients and state.
  limits.workspace_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device)) / 2;
  limits.most_bytes = device_memory().available / 4;
  limits.multiprocessors = std::max(1, attribute(cudaDevAttrMultiProcessorCount, device));
  limits.float_over_double = std::max(1, attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device));
  return limits;
}

std::unique_ptr<DeviceGuard> try_device(int device) noexcept {
  try {
    return std::make_unique<DeviceGuard>(device);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace quartic::cuda
