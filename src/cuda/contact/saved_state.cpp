#include "cuda/contact/saved_state.hpp"

#include <algorithm>

namespace quartic::cuda {

template <class T>
SavedState<T>::SavedState(const CudaBatch<T>& batch, cudaStream_t stream)
    : blocks_(batch.layout(), batch.rank(), batch.view().pitch, stream),
      status_(batch.options().bodies, stream),
      flags_(batch.options().bodies, stream),
      time_(1, stream) {}

template <class T>
void SavedState<T>::copy(const CudaBatch<T>& batch, bool saves, cudaStream_t stream) const {
  const auto copy = [&](void* theirs, void* own, std::size_t bytes) {
    void *to = saves ? own : theirs, *from = saves ? theirs : own;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copy the state");
  };
  for (std::size_t b = 0; b < blocks_.layout().size(); ++b)
    copy(batch.device_blocks().block(b).data(), blocks_.block(b).data(), blocks_.block(b).bytes());
  const BatchView<T> view = batch.view();
  copy(view.status, status_.data(), status_.bytes());
  copy(view.flags, flags_.data(), flags_.bytes());
  copy(batch.device_time(), time_.data(), time_.bytes());
}

template class SavedState<float>;
template class SavedState<double>;

}  // namespace quartic::cuda
