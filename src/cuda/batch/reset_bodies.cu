// A thread per body: a row of 32 bodies is written together.
#include "cuda/batch/reset_bodies.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 128;
constexpr int pose_rows = 7, twist_rows = 6;

// Rows of one body: those of `from`, or zeros.
template <class T>
__device__ void put(const StartRows<T>& from, T* to, std::int64_t pitch, std::int64_t rows, std::int64_t body) {
  for (std::int64_t i = 0; i < rows; ++i)
    to[i * pitch + body] = from.data == nullptr ? T{0} : from.data[i * from.stride_row + body * from.stride_body];
}

template <class T>
__global__ void __launch_bounds__(threads) reset(const BatchView<T> batch, const GroupRange group, FrameKind kind,
                                                 const std::uint8_t* mask, const DeviceStart<T> start) {
  const std::int64_t body = group.first_body + std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (body >= group.first_body + group.bodies || mask[body] == 0) return;
  batch.status[body] = 0;
  put(start.q, batch.q, batch.pitch, group.rank, body);
  put(start.velocity, batch.velocity, batch.pitch, group.rank, body);
  put(StartRows<T>{}, batch.acceleration, batch.pitch, group.rank, body);
  if (kind == FrameKind::none) return;
  const bool keeps = kind == FrameKind::prescribed;  // what isn't given
  if (!keeps || start.pose.data != nullptr) put(start.pose, batch.frame.pose, batch.pitch, pose_rows, body);
  if (!keeps && start.pose.data == nullptr) batch.frame.pose[6 * batch.pitch + body] = 1;
  if (!keeps || start.twist.data != nullptr) put(start.twist, batch.frame.twist, batch.pitch, twist_rows, body);
  if (!keeps) put(StartRows<T>{}, batch.frame.twist_rate, batch.pitch, twist_rows, body);
}

}  // namespace

template <class T>
void reset_bodies(const BatchView<T>& batch, const GroupRange& group, FrameKind kind, const std::uint8_t* mask,
                  const DeviceStart<T>& start, cudaStream_t stream) {
  launch(reset<T>, {dim3(static_cast<unsigned>((group.bodies + threads - 1) / threads)), dim3(threads)}, stream, batch,
         group, kind, mask, start);
}

template void reset_bodies(const BatchView<float>&, const GroupRange&, FrameKind, const std::uint8_t*,
                           const DeviceStart<float>&, cudaStream_t);
template void reset_bodies(const BatchView<double>&, const GroupRange&, FrameKind, const std::uint8_t*,
                           const DeviceStart<double>&, cudaStream_t);

}  // namespace quartic::cuda
