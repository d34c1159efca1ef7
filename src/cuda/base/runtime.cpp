#include "cuda/base/runtime.hpp"

#include <string>

#include "quartic/error.hpp"

namespace quartic::cuda {

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // the next call shall not find this error again
  throw DeviceError(std::string("CUDA couldn't ") + call + ": " + cudaGetErrorString(result) +
                    (result == cudaErrorMemoryAllocation ? "; free device memory, or use the backend 'cpu'" : ""));
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &capture), "look at a stream");
  return capture != cudaStreamCaptureStatusNone;
}

DeviceGuard::DeviceGuard(int device) {
  check(cudaGetDevice(&former_), "find the current device");
  if (former_ == device) return;
  check(cudaSetDevice(device), "change the device");
  changed_ = true;
}
DeviceGuard::~DeviceGuard() {
  if (changed_) cudaSetDevice(former_);
}

namespace {

thread_local std::int64_t started_kernels = 0;

}  // namespace

std::int64_t launch_count() {
  return started_kernels;
}
void count_launch() {
  ++started_kernels;
}

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}
Stream::~Stream() {
  cudaStreamSynchronize(stream_);  // so that what was freed in it is free for others
  cudaStreamDestroy(stream_);
}
void Stream::synchronize() const {
  check(cudaStreamSynchronize(stream_), "finish the work of a stream");
}

Event::Event() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event");
}
Event::~Event() {
  cudaEventDestroy(event_);
}

DeviceMemory::DeviceMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  if (bytes > 0) check(cudaMallocAsync(&data_, bytes, stream), "allocate device memory");
}
DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

}  // namespace quartic::cuda
