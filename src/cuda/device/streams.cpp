#include "cuda/device/streams.hpp"

#include "cuda/base/devices.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {
namespace {

void order(int device, void* awaited, void* waiting) {
  if (awaited == waiting) return;
  const DeviceGuard guard(device);
  const Event event;  // lives on in the streams until they are past it
  check(cudaEventRecord(event.get(), of(awaited)), "record an event");
  check(cudaStreamWaitEvent(of(waiting), event.get(), 0), "let a stream wait for another");
}

void synchronize(int device, void* stream) {
  const DeviceGuard guard(device);
  check(cudaStreamSynchronize(of(stream)), "finish the work of a stream");
}

CaptureState capture_state(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t result = cudaStreamIsCapturing(of(stream), &status);
  if (result == cudaErrorStreamCaptureImplicit) {  // of the legacy default stream
    cudaGetLastError();
    return CaptureState::elsewhere;
  }
  check(result, "look at a stream");
  return status == cudaStreamCaptureStatusNone ? CaptureState::none : CaptureState::here;
}

int device_of(const void* pointer) {
  cudaPointerAttributes attributes = {};
  const cudaError_t result = cudaPointerGetAttributes(&attributes, pointer);
  if (result != cudaSuccess) cudaGetLastError();
  if (result != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered) return -1;
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : usable_everywhere;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "find the current device");
  return device;
}

std::shared_ptr<void> make_stream(int device) {
  const DeviceGuard guard(device);
  const std::shared_ptr<Stream> owned(new Stream, [device](Stream* done) {
    if (const auto destroying = try_device(device)) delete done;
  });
  return {owned, owned->get()};
}

std::shared_ptr<void> allocate(int device, std::size_t bytes, void* stream) {
  const DeviceGuard guard(device);
  void* data = nullptr;
  if (bytes > 0) check(cudaMallocAsync(&data, bytes, of(stream)), "allocate device memory");
  return {data, [device, stream](void* done) {
            if (done == nullptr) return;
            if (const auto freeing = try_device(device)) cudaFreeAsync(done, of(stream));
          }};
}

void copy_to_host(int device, const void* from, void* to, std::size_t bytes, void* stream) {
  if (bytes == 0) return;
  const DeviceGuard guard(device);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, of(stream)), "copy from the device");
  check(cudaStreamSynchronize(of(stream)), "copy from the device");
}

void copy_to_device(int device, const void* from, void* to, std::size_t bytes, void* stream) {
  if (bytes == 0) return;
  const DeviceGuard guard(device);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, of(stream)), "copy to the device");
  check(cudaStreamSynchronize(of(stream)), "copy to the device");
}

}  // namespace

constinit const StreamOperations stream_operations = {.order = order,
                                                      .synchronize = synchronize,
                                                      .capture_state = capture_state,
                                                      .device_of = device_of,
                                                      .current_device = current_device,
                                                      .make_stream = make_stream,
                                                      .allocate = allocate,
                                                      .copy_to_host = copy_to_host,
                                                      .copy_to_device = copy_to_device};

}  // namespace quartic::cuda
