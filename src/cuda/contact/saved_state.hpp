// The state of a batch before a step that may have to be done again.
#pragma once

#include "cuda/batch/batch.hpp"

namespace quartic::cuda {

template <class T>
class SavedState {
 public:
  SavedState() = default;
  SavedState(const CudaBatch<T>& batch, cudaStream_t stream);

  void save(const CudaBatch<T>& batch, cudaStream_t stream) const { copy(batch, true, stream); }
  void restore(const CudaBatch<T>& batch, cudaStream_t stream) const { copy(batch, false, stream); }

 private:
  void copy(const CudaBatch<T>& batch, bool saves, cudaStream_t stream) const;

  StateBlocks<T> blocks_;
  DeviceArray<std::int32_t> status_;
  DeviceArray<std::uint32_t> flags_;
  DeviceArray<double> time_;
};

}  // namespace quartic::cuda
