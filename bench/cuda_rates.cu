// Chains of multiply-adds in registers, enough of them side by side to hide their latency.
#include "cuda_rates.hpp"

namespace quartic::measure {
namespace {

constexpr int threads = 256, blocks_per_multiprocessor = 8, chains = 16, rounds = 4096;

template <class T>
__global__ void __launch_bounds__(threads) multiply_add(T* result, T factor, T summand) {
  T sums[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) sums[c] = static_cast<T>(threadIdx.x + c);
#pragma unroll 8
  for (int n = 0; n < rounds; ++n)
#pragma unroll
    for (int c = 0; c < chains; ++c) sums[c] = fma(sums[c], factor, summand);
  T sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += sums[c];
  result[static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x] = sum;
}

}  // namespace

std::int64_t multiply_add_results(int multiprocessors) {
  return std::int64_t{multiprocessors} * blocks_per_multiprocessor * threads;
}

template <class T>
std::int64_t start_multiply_adds(T* result, int multiprocessors, cudaStream_t stream) {
  multiply_add<T><<<static_cast<unsigned>(multiprocessors * blocks_per_multiprocessor), threads, 0, stream>>>(
      result, T{0.5}, T{1});
  return multiply_add_results(multiprocessors) * chains * rounds;
}

template std::int64_t start_multiply_adds(float*, int, cudaStream_t);
template std::int64_t start_multiply_adds(double*, int, cudaStream_t);

}  // namespace quartic::measure
