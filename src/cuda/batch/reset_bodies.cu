// A thread per body, or per number of one: a row of 32 bodies side by side is written together.
#include "cuda/batch/reset_bodies.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;

// Rows of one body: those of `from`, or zeros.
template <class T>
__device__ void put(const StartRows<T>& from, T* to, std::int64_t pitch, std::int64_t rows, std::int64_t body) {
  for (std::int64_t i = 0; i < rows; ++i)
    to[i * pitch + body] = from.data == nullptr ? T{0} : from.data[i * from.stride_row + body * from.stride_body];
}

template <class T>
__device__ void reset_body(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, std::int64_t body,
                           const DeviceStart<T>& start) {
  batch.status[body] = 0;
  put(start.q, batch.q, batch.pitch, group.rank, body);
  put(start.velocity, batch.velocity, batch.pitch, group.rank, body);
  put(StartRows<T>{}, batch.acceleration, batch.pitch, group.rank, body);
  if (kind == FrameKind::none) return;
  const bool keeps = kind == FrameKind::prescribed;  // what isn't given
  if (!keeps || start.pose.data != nullptr) put(start.pose, batch.frame.pose, batch.pitch, pose_size, body);
  if (!keeps && start.pose.data == nullptr) batch.frame.pose[6 * batch.pitch + body] = 1;
  if (!keeps || start.twist.data != nullptr) put(start.twist, batch.frame.twist, batch.pitch, twist_size, body);
  if (!keeps) put(StartRows<T>{}, batch.frame.twist_rate, batch.pitch, twist_size, body);
}

[[nodiscard]] __device__ bool is_in(const GroupRange& group, std::int64_t body) {
  return body >= group.first_body && body < group.first_body + group.bodies;
}

template <class T>
__global__ void __launch_bounds__(threads) reset(const BatchView<T> batch, const GroupRange group, FrameKind kind,
                                                 const std::uint8_t* mask, const DeviceStart<T> start) {
  const std::int64_t body = group.first_body + std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (is_in(group, body) && mask[body] != 0) reset_body(batch, group, kind, body, start);
}

template <class T>
__global__ void __launch_bounds__(threads)
    reset_numbered(const BatchView<T> batch, const GroupRange group, FrameKind kind, const std::int32_t* numbers,
                   std::int64_t count, const DeviceStart<T> start) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n < count && is_in(group, numbers[n])) reset_body(batch, group, kind, numbers[n], start);
}

LaunchShape shape_of(std::int64_t count) {
  return {dim3(static_cast<unsigned>((count + threads - 1) / threads)), dim3(threads)};
}

}  // namespace

template <class T>
void reset_bodies(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, const std::uint8_t* mask,
                  const DeviceStart<T>& start, cudaStream_t stream) {
  launch(reset<T>, shape_of(group.bodies), stream, batch, group, kind, mask, start);
}

template <class T>
void reset_bodies(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, const std::int32_t* numbers,
                  std::int64_t count, const DeviceStart<T>& start, cudaStream_t stream) {
  launch(reset_numbered<T>, shape_of(count), stream, batch, group, kind, numbers, count, start);
}

template void reset_bodies(const BatchView<float>&, const GroupRange&, FrameKind, const std::uint8_t*,
                           const DeviceStart<float>&, cudaStream_t);
template void reset_bodies(const BatchView<double>&, const GroupRange&, FrameKind, const std::uint8_t*,
                           const DeviceStart<double>&, cudaStream_t);
template void reset_bodies(const BatchView<float>&, const GroupRange&, FrameKind, const std::int32_t*, std::int64_t,
                           const DeviceStart<float>&, cudaStream_t);
template void reset_bodies(const BatchView<double>&, const GroupRange&, FrameKind, const std::int32_t*, std::int64_t,
                           const DeviceStart<double>&, cudaStream_t);

}  // namespace quartic::cuda
