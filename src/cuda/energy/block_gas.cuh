// What gases in the chambers of a body want of a block of threads that has it by itself: V by each warp, lanes over
// pairs of indices, so that all threads have it; g by a thread per row.
#pragma once

#include "core/energy/symmetric_tensor.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/gas_image.hpp"

namespace quartic::cuda {

/// V of a chamber, for all threads of the block. @param coefficients see volume_images @param at `at(k)` is q^_k
template <class Point>
[[nodiscard]] __device__ double block_volume(const double* coefficients, int rank, const Point& at) {
  const auto n = static_cast<std::size_t>(rank) + 1;
  double sum = 0;
  for (int a = 0; a <= rank; ++a) {
    double sum_a = 0;
    for (int b = a + static_cast<int>(threadIdx.x) % warp_size; b <= rank; b += warp_size) {
      const auto second = static_cast<std::size_t>(b);
      const double* next = coefficients + triple_index(static_cast<std::size_t>(a), second, second, n);
      double sum_b = 0;
#pragma unroll 4
      for (int c = b; c <= rank; ++c) sum_b = fma(*next++, at(c), sum_b);
      sum_a = fma(sum_b, at(b), sum_a);
    }
    sum = fma(sum_a, at(a), sum);
  }
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  return sum;
}

/// dV/dq_i at a point (1, q). @param coefficients of the row, see gradient_images
template <class T>
[[nodiscard]] __device__ T volume_derivative(const T* coefficients, int rank, const T* point) {
  T sum = 0;
  for (int b = 0; b <= rank; ++b) {
    T sum_b = 0;
#pragma unroll 4
    for (int c = b; c <= rank; ++c) sum_b = fma(*coefficients++, point[c], sum_b);
    sum = fma(sum_b, point[b], sum);
  }
  return sum;
}

/// H of a body at `point`, with kappa g g^T added to K and taken off H_i0, so that R stays. By all threads of the
/// block, each of which has a row where there are so many. Begins and ends with a barrier.
/// @param gradient of the chamber's rows @param g shared, shape (r), is overwritten
template <class T>
__device__ void add_gas_stiffness(const T* gradient, int rank, T kappa, const T* point, T* g, T* h) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  __syncthreads();
  if (thread < rank) g[thread] = volume_derivative(gradient + thread * gradient_row_size(rank), rank, point);
  __syncthreads();
  for (int n = thread; n < rank * rank; n += threads)
    if (const int i = n / rank, j = n % rank; j <= i) {
      T& entry = h[stiffness_row(i, j)];
      entry = fma(kappa * g[i], g[j], entry);
    }
  if (thread < rank) {
    T along = 0;
    for (int i = 0; i < rank; ++i) along = fma(g[i], point[i + 1], along);
    T& rest = h[stiffness_rows(rank) + thread];
    rest = fma(-kappa * g[thread], along, rest);
  }
  __syncthreads();
}

}  // namespace quartic::cuda
