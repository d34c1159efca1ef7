#include "cuda/base/strided_copy.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    copy(const T* from, std::int64_t from_mode, std::int64_t from_body, T* to, std::int64_t to_mode,
         std::int64_t to_body, std::int64_t rank, std::int64_t bodies) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (n >= rank * bodies) return;
  // Neighbouring threads go along the target's shorter stride.
  const bool by_body = to_body <= to_mode;
  const std::int64_t mode = by_body ? n / bodies : n % rank, body = by_body ? n % bodies : n / rank;
  to[mode * to_mode + body * to_body] = from[mode * from_mode + body * from_body];
}

}  // namespace

template <class T>
void copy_strided(const T* from, std::int64_t from_mode, std::int64_t from_body, T* to, std::int64_t to_mode,
                  std::int64_t to_body, std::int64_t rank, std::int64_t bodies, cudaStream_t stream) {
  launch(copy<T>, {dim3(static_cast<unsigned>((rank * bodies + threads - 1) / threads)), dim3(threads)}, stream, from,
         from_mode, from_body, to, to_mode, to_body, rank, bodies);
}

template void copy_strided(const float*, std::int64_t, std::int64_t, float*, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, cudaStream_t);
template void copy_strided(const double*, std::int64_t, std::int64_t, double*, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, cudaStream_t);

}  // namespace quartic::cuda
