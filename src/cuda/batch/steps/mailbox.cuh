// Values that the blocks of a cluster write into each other's shared memory, and wait for: stores that tell a barrier
// of the receiver's how many bytes have come (st.async, mbarrier). A meeting of the cluster would be a fence of the
// whole GPU, after which everything read before comes from L2 again.
#pragma once

#include <cstdint>

#include "cuda/batch/steps/cluster.cuh"

namespace quartic::cuda {

/// Receives the same number of bytes again and again, and a word from each of so many senders that they have read what
/// the receiver will overwrite by what it sends next. Made by all threads of all blocks, with its barrier in the same
/// place of each block's shared memory. A block that is by itself stores and meets at a barrier of its own.
template <bool clustered>
class Mailbox {
 public:
  __device__ Mailbox(std::uint64_t* barrier, unsigned bytes, int senders)
      : barrier_(barrier), bytes_(bytes), senders_(senders) {}

  /// One thread of each block, before the cluster meets.
  __device__ void open() const {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier_)), "r"(1 + senders_) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      expect();
    }
#endif
  }

  /// Puts a value of 4 or 8 bytes where `to` is in block `block`. Nobody may read there before its `receive`, nor
  /// write before all that block `block` received the last time has been read.
  template <class V>
  __device__ void send(V* to, V value, [[maybe_unused]] int block) const {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) {
      const unsigned target = address_in(to, block), barrier = address_in(barrier_, block);
      if constexpr (sizeof(V) == 4)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(target),
                     "r"(__builtin_bit_cast(unsigned, value)), "r"(barrier)
                     : "memory");
      else
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(target),
                     "l"(__builtin_bit_cast(unsigned long long, value)), "r"(barrier)
                     : "memory");
      return;
    }
#endif
    *to = value;
  }

  /// One thread of a sender, each time, behind a barrier of its block at which all had read. Of the block's scope, as
  /// its reads are: a release for the cluster would be the fence again.
  __device__ void announce([[maybe_unused]] int block) const {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered)
      asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address_in(barrier_, block)) : "memory");
#endif
  }

  /// All threads of a block: until everything has come, which they may read then.
  __device__ void receive() {
#ifdef QUARTIC_HAS_CLUSTERS
    if constexpr (clustered) {
      unsigned done = 0;
      while (done == 0)
        asm volatile(
            "{\n"
            ".reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n"
            "}"
            : "=r"(done)
            : "r"(address(barrier_)), "r"(parity_)
            : "memory");
      parity_ ^= 1;
      if (threadIdx.x == 0) expect();
      return;
    }
#endif
    __syncthreads();
  }

 private:
#ifdef QUARTIC_HAS_CLUSTERS
  [[nodiscard]] __device__ static unsigned address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  }
  [[nodiscard]] __device__ static unsigned address_in(const void* pointer, int block) {
    unsigned result;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address(pointer)), "r"(block));
    return result;
  }
  // The receiver's own arrival, with the bytes that a phase waits for; these may come before it.
  __device__ void expect() const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier_)), "r"(bytes_)
                 : "memory");
  }
#endif

  std::uint64_t* barrier_;
  unsigned bytes_;
  int senders_;
  unsigned parity_ = 0;
};

}  // namespace quartic::cuda
