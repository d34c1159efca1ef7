// Chains of multiply-adds in registers, enough of them side by side to hide their latency, on numbers that change in
// all of their digits from step to step: constants take less power, at which a device runs faster than at work.
#include <stdexcept>

#include "cuda/base/mma.cuh"
#include "cuda_rates.hpp"

namespace quartic::measure {
namespace {

constexpr int threads = 256, blocks_per_multiprocessor = 8, chains = 16, rounds = 4096;

// In [1, 2).
template <class T>
__device__ T random_number(unsigned seed) {
  seed = (seed ^ (seed >> 16)) * 0x7feb352dU;
  seed = (seed ^ (seed >> 15)) * 0x846ca68bU;
  return T{1} + static_cast<T>(seed >> 8) / static_cast<T>(1 << 24);
}
__device__ unsigned thread_number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// What one multiprocessor counts from its first block's start to its end: all blocks run at once.
__device__ void note_cycles(long long start, long long* cycles) {
  if (thread_number() == 0) *cycles = clock64() - start;
}

// x <- s - f x with f just below 1: x jumps between two numbers, slowly drawing nearer to each other.
template <class T>
__global__ void __launch_bounds__(threads) multiply_add(T* result, long long* cycles) {
  const long long start = clock64();
  const unsigned seed = thread_number() * (chains + 1);
  const T factor = -(T{1} - T{1} / rounds), summand = random_number<T>(seed);
  T sums[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) sums[c] = random_number<T>(seed + static_cast<unsigned>(c) + 1);
#pragma unroll 8
  for (int n = 0; n < rounds; ++n)
#pragma unroll
    for (int c = 0; c < chains; ++c) sums[c] = fma(sums[c], factor, summand);
  T sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += sums[c];
  result[thread_number()] = sum;
  note_cycles(start, cycles);
}

constexpr int tensor_chains = 8, tensor_rounds = 512;
// Of an instruction.
template <class T>
constexpr int tensor_multiply_adds = 16 * 8 * (sizeof(T) == 4 ? 16 : 8);

// A lane's pieces of the two factors.
template <class T>
struct Factors;
template <>
struct Factors<float> {
  uint4 a;
  uint2 b;
  __device__ explicit Factors(unsigned seed) {
    const auto next = [&] {
      const float first = random_number<float>(seed++) - 1.5F;
      return round_to_bfloat16(first, random_number<float>(seed++) - 1.5F);
    };
    a = make_uint4(next(), next(), next(), next());
    b = make_uint2(next(), next());
  }
  __device__ void add_product(float (&sums)[4]) const { multiply_add_bfloat16(a, b, sums); }
};
template <>
struct Factors<double> {
  double2 first, second;
  double b0, b1;
  __device__ explicit Factors(unsigned seed) {
    const auto next = [&] { return random_number<double>(seed++) - 1.5; };
    first = make_double2(next(), next()), second = make_double2(next(), next());
    b0 = next(), b1 = next();
  }
  __device__ void add_product(double (&sums)[4]) const { multiply_add_double(first, second, b0, b1, sums); }
};

template <class T>
__global__ void __launch_bounds__(threads) tensor_multiply_add(T* result, long long* cycles) {
  const long long start = clock64();
  const Factors<T> some(thread_number() * 24), others(thread_number() * 24 + 12);
  T sums[tensor_chains][4] = {};
#pragma unroll 4
  for (int n = 0; n < tensor_rounds; ++n)
#pragma unroll
    for (int c = 0; c < tensor_chains; ++c) (c % 2 == 0 ? some : others).add_product(sums[c]);
  T sum = 0;
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c)
#pragma unroll
    for (int n = 0; n < 4; ++n) sum += sums[c][n];
  result[thread_number()] = sum;
  note_cycles(start, cycles);
}

}  // namespace

std::int64_t multiply_add_results(int multiprocessors) {
  return std::int64_t{multiprocessors} * blocks_per_multiprocessor * threads;
}

template <class T>
std::int64_t start_multiply_adds(T* result, long long* cycles, int multiprocessors, cudaStream_t stream) {
  multiply_add<T>
      <<<static_cast<unsigned>(multiprocessors * blocks_per_multiprocessor), threads, 0, stream>>>(result, cycles);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("the rate of multiply-adds can't be measured");
  return multiply_add_results(multiprocessors) * chains * rounds;
}

template <class T>
std::int64_t start_tensor_multiply_adds(T* result, long long* cycles, int multiprocessors, cudaStream_t stream) {
  tensor_multiply_add<T>
      <<<static_cast<unsigned>(multiprocessors * blocks_per_multiprocessor), threads, 0, stream>>>(result, cycles);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("the rate of tensor cores can't be measured");
  return multiply_add_results(multiprocessors) / 32 * tensor_chains * tensor_rounds * tensor_multiply_adds<T>;
}

template std::int64_t start_multiply_adds(float*, long long*, int, cudaStream_t);
template std::int64_t start_multiply_adds(double*, long long*, int, cudaStream_t);
template std::int64_t start_tensor_multiply_adds(float*, long long*, int, cudaStream_t);
template std::int64_t start_tensor_multiply_adds(double*, long long*, int, cudaStream_t);

}  // namespace quartic::measure
