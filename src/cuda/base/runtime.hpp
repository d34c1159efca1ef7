// Owners of CUDA objects, checked calls, and kernel launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace quartic::cuda {

/// @throws DeviceError with CUDA's own words unless `result` is success; `call` is what was tried
void check(cudaError_t result, const char* call);

[[nodiscard]] bool is_capturing(cudaStream_t stream);

/// Makes a device current and puts the former one back.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int former_ = 0;
  bool changed_ = false;
};

/// A stream of the current device that doesn't wait for the legacy default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Waits for everything in it.
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event without timing.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Bytes of the current device, taken from its memory pool in stream order.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(std::size_t bytes, cudaStream_t stream);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), stream_(other.stream_) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// An array on the device. Freed in the order of the stream it was made in, which must outlive it.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  /// Not initialised.
  DeviceArray(std::int64_t size, cudaStream_t stream)
      : memory_(static_cast<std::size_t>(size) * sizeof(T), stream), size_(size) {}
  /// A copy of host values, complete on return.
  DeviceArray(std::span<const T> values, cudaStream_t stream)
      : DeviceArray(static_cast<std::int64_t>(values.size()), stream) {
    copy_from(values, stream);
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  /// Synchronises with the stream.
  void copy_from(std::span<const T> values, cudaStream_t stream) {
    if (values.empty()) return;
    check(cudaMemcpyAsync(data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
          "copy to the device");
    check(cudaStreamSynchronize(stream), "copy to the device");
  }
  void fill_zero(cudaStream_t stream) {
    if (size_ > 0) check(cudaMemsetAsync(data(), 0, bytes(), stream), "fill device memory");
  }

 private:
  DeviceMemory memory_;
  std::int64_t size_ = 0;
};

/// Page-locked host memory, zeroed, for copies that run beside the host.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::int64_t size) : size_(size) {
    void* data = nullptr;
    check(cudaMallocHost(&data, static_cast<std::size_t>(size) * sizeof(T)), "allocate page-locked memory");
    data_ = static_cast<T*>(data);
    for (std::int64_t n = 0; n < size; ++n) data_[n] = T{};
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// Where and how many threads.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  int cluster = 1;  ///< blocks side by side that form one; from sm_90 on
};

/// How many kernels this thread has started: counted where they are, so that nobody foretells it.
[[nodiscard]] std::int64_t launch_count();
void count_launch();

/// Starts a kernel, from files that nvcc compiles.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
            const Arguments&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  if (shape.cluster > 1) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(shape.cluster), 1, 1};
    config.attrs = &cluster, config.numAttrs = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "start a kernel");
  count_launch();
}

}  // namespace quartic::cuda
