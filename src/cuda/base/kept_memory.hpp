// Memory that the pool doesn't give back at once.
#pragma once

#include <cuda_runtime.h>

namespace quartic::cuda {

/// While one lives, the current device's memory pool keeps what was freed instead of giving it back whenever a stream
/// is waited for: work that takes and frees blocks all the time needn't wait for the driver. The first one of a pool
/// sets it up, the last one puts back what was set before; any thread may have one.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace quartic::cuda
