// Work that the threads of a block share, in an order that doesn't depend on their number.
#pragma once

#include <cstdint>

namespace quartic::cuda {

inline constexpr int near_threads = 128;

[[nodiscard]] __device__ inline int near_thread() {
  return static_cast<int>(threadIdx.x);
}

/// visit(i) for 0 <= i < count, an index per thread.
template <class Visit>
__device__ void for_each_index(int count, const Visit& visit) {
  for (int i = near_thread(); i < count; i += near_threads) visit(i);
}

/// Of an array in shared memory, by every thread for itself.
[[nodiscard]] __device__ inline double dot_product(const double* a, const double* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = fma(a[i], b[i], sum);
  return sum;
}

/// x <- A^-1 x by elimination with row exchanges, as src/cpu/contact/linear_solve.hpp: the largest pivot, the first of
/// equal ones. Begins and ends with a barrier. @param a rows of `pitch` values, overwritten
__device__ inline void solve_in_place(int n, int pitch, double* a, double* x) {
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    double most = std::abs(a[k * pitch + k]);
    for (int i = k + 1; i < n; ++i) {  // by every thread: cheaper than a vote
      const double size = std::abs(a[i * pitch + k]);
      if (size > most) most = size, pivot = i;
    }
    __syncthreads();
    if (pivot != k) {
      for_each_index(n - k + 1, [&](int e) {
        double* first = e == 0 ? x + k : a + k * pitch + k + e - 1;
        double* second = e == 0 ? x + pivot : a + pivot * pitch + k + e - 1;
        const double value = *first;
        *first = *second;
        *second = value;
      });
      __syncthreads();
    }
    const double inverse = 1 / a[k * pitch + k];
    const int rows = n - k - 1;
    // The column of the pivot stays: later columns need its factors.
    for_each_index(rows * (rows + 1), [&](int e) {
      const int i = k + 1 + e / (rows + 1), j = e % (rows + 1);
      const double factor = inverse * a[i * pitch + k];
      if (j == rows)
        x[i] -= factor * x[k];
      else
        a[i * pitch + k + 1 + j] -= factor * a[k * pitch + k + 1 + j];
    });
    __syncthreads();
  }
  for (int i = n - 1; i >= 0; --i) {
    const double solution = x[i] / a[i * pitch + i];
    __syncthreads();
    for_each_index(i + 1, [&](int row) { x[row] = row == i ? solution : x[row] - a[row * pitch + i] * solution; });
    __syncthreads();
  }
}

}  // namespace quartic::cuda
