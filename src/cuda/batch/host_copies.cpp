#include "cuda/batch/host_copies.hpp"

#include <utility>

namespace quartic::cuda {

template <class T>
T* HostCopies<T>::copy(StateArray which, bool to_write, const DeviceState& device, cudaStream_t stream) {
  Copy& copy = copies_[which];
  if (!has(which)) {
    PinnedArray<T> values(device[which].size());
    std::swap(copy.values, values);
    fetch(which, device, stream);
    check(cudaStreamSynchronize(stream), "finish the work of a stream");
  }
  if (to_write) copy.may_be_written = true;
  return copy.values.data();
}

template <class T>
void HostCopies<T>::send(const DeviceState& device, cudaStream_t stream) const {
  for (const StateArray which : all_state_arrays)
    if (copies_[which].may_be_written)
      check(cudaMemcpyAsync(device[which].data(), copies_[which].values.data(), device[which].bytes(),
                            cudaMemcpyHostToDevice, stream),
            "copy the state to the device");
}

template <class T>
void HostCopies<T>::fetch(const DeviceState& device, cudaStream_t stream) {
  for (const StateArray which : all_state_arrays) fetch(which, device, stream);
}

template <class T>
void HostCopies<T>::fetch(StateArray which, const DeviceState& device, cudaStream_t stream) {
  if (has(which))
    check(cudaMemcpyAsync(copies_[which].values.data(), device[which].data(), device[which].bytes(),
                          cudaMemcpyDeviceToHost, stream),
          "copy the state from the device");
}

template <class T>
void HostCopies<T>::send_before_work(const DeviceState& device, cudaStream_t stream) const {
  if (!are_explicit_) send(device, stream);
}

template <class T>
void HostCopies<T>::fetch_after_steps(const DeviceState& device, cudaStream_t stream) {
  if (are_explicit_) return;
  for (const StateArray which : {StateArray::q, StateArray::velocity, StateArray::acceleration})  // forces stay
    fetch(which, device, stream);
}

template class HostCopies<float>;
template class HostCopies<double>;

}  // namespace quartic::cuda
