// du/dX = sum_i q_i G_i at each point of a range, and the rule of core/batch/range_rule.hpp there.
//
// A block has 32 bodies, lane = body; its warps share out the points. All lanes read the same gradients. Shared memory:
// a word per thread. Per body and point 18 r + 160 flops; q is read from memory once, and from cache for other points.
#include "core/batch/packed_range.hpp"
#include "core/batch/range_rule.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/batch/range_check.hpp"

namespace quartic::cuda {
namespace {

constexpr int lanes = 32, warps = 8;

template <class T>
__global__ void __launch_bounds__(lanes* warps)
    look_at_points(const T* gradients, int rank, std::int64_t points, const T* q, std::int64_t pitch,
                   std::int64_t bodies, std::uint32_t* now, std::uint32_t* flags) {
  auto* found = reinterpret_cast<std::uint32_t*>(shared_memory());
  const int lane = static_cast<int>(threadIdx.x) % lanes, warp = static_cast<int>(threadIdx.x) / lanes;
  const std::int64_t body = std::int64_t{blockIdx.x} * lanes + lane;
  std::uint32_t bits = 0;
  if (body < bodies)
    for (std::int64_t point = warp; point < points; point += warps) {
      const T* g = gradients + 9 * rank * point;
      T sum[9] = {};
      for (int i = 0; i < rank; ++i, g += 9) {
        const T x = q[i * pitch + body];
        for (int e = 0; e < 9; ++e) sum[e] += g[e] * x;
      }
      bits |= range_bits(sum);
    }
  found[threadIdx.x] = bits;
  __syncthreads();
  if (warp > 0 || body >= bodies) return;
  for (int other = 1; other < warps; ++other) bits |= found[other * lanes + lane];
  now[body] = bits;
  flags[body] |= bits;
}

}  // namespace

template <class T>
DeviceRange<T>::DeviceRange(const ModelRange& range, cudaStream_t stream)
    : gradients(std::span<const T>(packed_gradients<T>(range)), stream), rank(range.rank), points(range.points()) {}

template <class T>
void check_range(const DeviceRange<T>& range, const T* q, std::int64_t pitch, std::int64_t bodies, std::uint32_t* now,
                 std::uint32_t* flags, cudaStream_t stream) {
  const LaunchShape shape{dim3(static_cast<unsigned>((bodies + lanes - 1) / lanes)), dim3(lanes * warps),
                          lanes * warps * sizeof(std::uint32_t)};
  launch(look_at_points<T>, shape, stream, range.gradients.data(), range.rank, range.points, q, pitch, bodies, now,
         flags);
}

template struct DeviceRange<float>;
template struct DeviceRange<double>;
template void check_range(const DeviceRange<float>&, const float*, std::int64_t, std::int64_t, std::uint32_t*,
                          std::uint32_t*, cudaStream_t);
template void check_range(const DeviceRange<double>&, const double*, std::int64_t, std::int64_t, std::uint32_t*,
                          std::uint32_t*, cudaStream_t);

}  // namespace quartic::cuda
