#include "cuda/kept_memory.hpp"

#include <limits>

#include "cuda/runtime.hpp"

namespace quartic::cuda {

KeptMemory::KeptMemory() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  check(cudaDeviceGetMemPool(&pool_, device), "find the memory pool");
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &former_), "look at the memory pool");
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "set up the memory pool");
}

KeptMemory::~KeptMemory() {
  cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &former_);
}

}  // namespace quartic::cuda
