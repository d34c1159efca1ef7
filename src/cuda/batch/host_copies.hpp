// The host's copies of a batch's state on the device.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/base/runtime.hpp"
#include "cuda/batch/state_blocks.hpp"

namespace quartic::cuda {

/// Page-locked copies of the blocks that somebody asked for. Steps send those that may have been written and fetch what
/// they changed, until the caller takes that over.
template <class T>
class HostCopies {
 public:
  explicit HostCopies(std::size_t blocks) : copies_(blocks) {}

  /// From now on nothing is copied but by `send` and `fetch`.
  void leave_to_caller() { are_explicit_ = true; }

  /// The copy of a block, fetched when it is asked for first; complete on return.
  /// @param to_write whether it must be sent from now on
  [[nodiscard]] T* copy(std::size_t block, bool to_write, const StateBlocks<T>& device, cudaStream_t stream);
  [[nodiscard]] bool has(std::size_t block) const { return copies_[block].values.size() > 0; }

  /// In stream order, of the blocks that have a copy: page-locked memory is copied beside the host.
  void send(const StateBlocks<T>& device, cudaStream_t stream) const;
  void fetch(const StateBlocks<T>& device, cudaStream_t stream);

  /// Around work in a stream that the caller doesn't see.
  void send_before_work(const StateBlocks<T>& device, cudaStream_t stream) const;
  void fetch_after_steps(const StateBlocks<T>& device, cudaStream_t stream);

 private:
  struct Copy {
    PinnedArray<T> values;  // none until somebody asks
    bool may_be_written = false;
  };
  void fetch(std::size_t block, const StateBlocks<T>& device, cudaStream_t stream);

  std::vector<Copy> copies_;
  bool are_explicit_ = false;
};

}  // namespace quartic::cuda
