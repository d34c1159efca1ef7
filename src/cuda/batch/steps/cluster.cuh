// Blocks that reach each other's shared memory: a cluster, or a block that is by itself.
#pragma once

#include "cuda/energy/batch_view.hpp"

#if !defined(QUARTIC_CUDA_ON_HOST) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define QUARTIC_HAS_CLUSTERS
#endif

namespace quartic::cuda {

/// What kernels that are launched with a cluster, or without one, see of it. Code for devices before sm_90 has the
/// functions of a single block in either case, and is never launched with a cluster.
template <bool clustered>
struct Cluster {
  [[nodiscard]] __device__ static int rank() {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) return static_cast<int>(__clusterRelativeBlockRank());
#endif
    return 0;
  }
  [[nodiscard]] __device__ static int size() {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) return static_cast<int>(__clusterSizeInBlocks());
#endif
    return 1;
  }
  /// Of all threads of all blocks; what they wrote before it, also into each other's shared memory, all see behind it.
  __device__ static void synchronize() {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) {
      __cluster_barrier_arrive();
      __cluster_barrier_wait();
      return;
    }
#endif
    __syncthreads();
  }
  /// Where in the shared memory of block `block` is what stands at `pointer` in this block's.
  template <class T>
  [[nodiscard]] __device__ static T* in_block(T* pointer, [[maybe_unused]] int block) {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) return static_cast<T*>(__cluster_map_shared_rank(pointer, static_cast<unsigned>(block)));
#endif
    return pointer;
  }
};

}  // namespace quartic::cuda
