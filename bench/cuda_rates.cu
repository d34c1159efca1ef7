// Chains of multiply-adds in registers, enough of them side by side to hide their latency.
#include <stdexcept>

#include "cuda/base/mma.cuh"
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

constexpr int tensor_chains = 8, tensor_rounds = 512, multiply_adds_of_instruction = 16 * 8 * 8;

__device__ void add_product(float factor, float (&sums)[4]) {
  multiply_add_tf32(make_float4(factor, factor, factor, factor), factor, factor, sums);
}
__device__ void add_product(double factor, double (&sums)[4]) {
  multiply_add_double(make_double2(factor, factor), make_double2(factor, factor), factor, factor, sums);
}

template <class T>
__global__ void __launch_bounds__(threads) tensor_multiply_add(T* result, T factor) {
  T sums[tensor_chains][4] = {};
#pragma unroll 4
  for (int n = 0; n < tensor_rounds; ++n)
#pragma unroll
    for (int c = 0; c < tensor_chains; ++c) add_product(factor, sums[c]);
  T sum = 0;
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c)
#pragma unroll
    for (int n = 0; n < 4; ++n) sum += sums[c][n];
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

template <class T>
std::int64_t start_tensor_multiply_adds(T* result, int multiprocessors, cudaStream_t stream) {
  tensor_multiply_add<T>
      <<<static_cast<unsigned>(multiprocessors * blocks_per_multiprocessor), threads, 0, stream>>>(result, T{0.5});
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("the rate of tensor cores can't be measured");
  return multiply_add_results(multiprocessors) / 32 * tensor_chains * tensor_rounds * multiply_adds_of_instruction;
}

template std::int64_t start_multiply_adds(float*, int, cudaStream_t);
template std::int64_t start_multiply_adds(double*, int, cudaStream_t);
template std::int64_t start_tensor_multiply_adds(float*, int, cudaStream_t);
template std::int64_t start_tensor_multiply_adds(double*, int, cudaStream_t);

}  // namespace quartic::measure
