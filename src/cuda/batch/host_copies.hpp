// The host's copies of a batch's state on the device.
#pragma once

#include "cuda/base/runtime.hpp"
#include "cuda/batch/per_array.hpp"

namespace quartic::cuda {

/// Page-locked copies of the arrays that somebody asked for. Steps send those that may have been written and fetch what
/// they changed, until the caller takes that over.
template <class T>
class HostCopies {
 public:
  using DeviceState = PerArray<DeviceArray<T>>;

  /// From now on nothing is copied but by `send` and `fetch`.
  void leave_to_caller() { are_explicit_ = true; }

  /// The copy of an array, fetched when it is asked for first; complete on return.
  /// @param to_write whether it must be sent from now on
  [[nodiscard]] T* copy(StateArray which, bool to_write, const DeviceState& device, cudaStream_t stream);
  [[nodiscard]] bool has(StateArray which) const { return copies_[which].values.size() > 0; }

  /// In stream order, of the arrays that have a copy: page-locked memory is copied beside the host.
  void send(const DeviceState& device, cudaStream_t stream) const;
  void fetch(const DeviceState& device, cudaStream_t stream);

  /// Around work in a stream that the caller doesn't see.
  void send_before_work(const DeviceState& device, cudaStream_t stream) const;
  void fetch_after_steps(const DeviceState& device, cudaStream_t stream);

 private:
  struct Copy {
    PinnedArray<T> values;  // none until somebody asks
    bool may_be_written = false;
  };
  void fetch(StateArray which, const DeviceState& device, cudaStream_t stream);

  PerArray<Copy> copies_;
  bool are_explicit_ = false;
};

}  // namespace quartic::cuda
