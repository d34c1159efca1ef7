#include "cuda/batch/host_copies.hpp"

#include <utility>

namespace quartic::cuda {

template <class T>
T* HostCopies<T>::copy(std::size_t block, bool to_write, const StateBlocks<T>& device, cudaStream_t stream) {
  Copy& copy = copies_[block];
  if (!has(block)) {
    PinnedArray<T> values(device.block(block).size());
    std::swap(copy.values, values);
    fetch(block, device, stream);
    check(cudaStreamSynchronize(stream), "finish the work of a stream");
  }
  if (to_write) copy.may_be_written = true;
  return copy.values.data();
}

template <class T>
void HostCopies<T>::send(const StateBlocks<T>& device, cudaStream_t stream) const {
  for (std::size_t n = 0; n < copies_.size(); ++n)
    if (copies_[n].may_be_written)
      check(cudaMemcpyAsync(device.block(n).data(), copies_[n].values.data(), device.block(n).bytes(),
                            cudaMemcpyHostToDevice, stream),
            "copy the state to the device");
}

template <class T>
void HostCopies<T>::fetch(const StateBlocks<T>& device, cudaStream_t stream) {
  for (std::size_t n = 0; n < copies_.size(); ++n) fetch(n, device, stream);
}

template <class T>
void HostCopies<T>::fetch(std::size_t block, const StateBlocks<T>& device, cudaStream_t stream) {
  if (has(block))
    check(cudaMemcpyAsync(copies_[block].values.data(), device.block(block).data(), device.block(block).bytes(),
                          cudaMemcpyDeviceToHost, stream),
          "copy the state from the device");
}

template <class T>
void HostCopies<T>::send_before_work(const StateBlocks<T>& device, cudaStream_t stream) const {
  if (!are_explicit_) send(device, stream);
}

template <class T>
void HostCopies<T>::fetch_after_steps(const StateBlocks<T>& device, cudaStream_t stream) {
  if (are_explicit_) return;
  for (std::size_t n = 0; n < copies_.size(); ++n)
    if (device.layout()[n].moves) fetch(n, device, stream);
}

template class HostCopies<float>;
template class HostCopies<double>;

}  // namespace quartic::cuda
