#include "cuda/base/kept_memory.hpp"

#include <limits>
#include <map>
#include <mutex>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {
namespace {

// The pools are the process', and several threads may want them to keep memory.
struct Use {
  int count = 0;
  std::uint64_t former_threshold = 0;
};
std::mutex mutex;
std::map<cudaMemPool_t, Use> uses;

}  // namespace

KeptMemory::KeptMemory() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  check(cudaDeviceGetMemPool(&pool_, device), "find the memory pool");
  const std::lock_guard lock(mutex);
  Use& use = uses[pool_];
  if (use.count == 0) {
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &use.former_threshold),
          "look at the memory pool");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "set up the memory pool");
  }
  ++use.count;
}

KeptMemory::~KeptMemory() {
  const std::lock_guard lock(mutex);
  Use& use = uses.find(pool_)->second;
  if (--use.count == 0) cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &use.former_threshold);
}

}  // namespace quartic::cuda
