// Work that the threads of a block share, in an order that doesn't depend on their number.
#pragma once

#include <cstdint>

#include "cuda/contact/near_memory.hpp"

namespace quartic::cuda {

inline constexpr unsigned all_lanes = 0xffffffffU;

[[nodiscard]] __device__ inline int near_thread() {
  return static_cast<int>(threadIdx.x);
}
[[nodiscard]] __device__ inline int near_warp() {
  return near_thread() / warp_size;
}
[[nodiscard]] __device__ inline int near_lane() {
  return near_thread() % warp_size;
}

/// visit(i) for 0 <= i < count, an index per thread.
template <class Visit>
__device__ void for_each_index(int count, const Visit& visit) {
  for (int i = near_thread(); i < count; i += near_threads) visit(i);
}

/// Over a warp's lanes, in all of them.
[[nodiscard]] __device__ inline double sum_over_lanes(double value) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

/// By a warp, in all of its lanes.
[[nodiscard]] __device__ inline double warp_dot(const double* a, const double* b, int count) {
  double sum = 0;
  for (int i = near_lane(); i < count; i += warp_size) sum = fma(a[i], b[i], sum);
  return sum_over_lanes(sum);
}

/// The lane and index of the largest |a[i * pitch]| for begin <= i < end, to the upper half of its bits; the first of
/// equal ones. The same in all lanes.
[[nodiscard]] __device__ inline int pivot_row(const double* a, int pitch, int begin, int end) {
  unsigned most = 0;
  int row = begin;
  for (int i = begin + near_lane(); i < end; i += warp_size) {
    const auto size = static_cast<unsigned>(__double2hiint(std::abs(a[i * pitch])));
    if (i < begin + warp_size || size > most) most = size, row = i;
  }
  const unsigned largest = __reduce_max_sync(all_lanes, most);
  return static_cast<int>(
      __reduce_min_sync(all_lanes, most == largest && begin + near_lane() < end ? static_cast<unsigned>(row) : ~0U));
}

/// x <- A^-1 x by elimination with row exchanges, as src/cpu/contact/linear_solve.hpp. A lane per row; a warp alone, or
/// for larger systems all of them, each with its columns. Begins and ends with a barrier.
/// @param a rows of `pitch` values, overwritten
__device__ inline void solve_in_place(int n, int pitch, double* a, double* x) {
  constexpr int at_once = 4;  // loads that don't wait for each other
  __syncthreads();
  const int workers = n <= warp_size ? 1 : near_warps, warp = near_warp();
  const auto wait = [&] {
    if (workers > 1)
      __syncthreads();
    else
      __syncwarp();
  };
  if (warp < workers) {
    // Row n of columns stands for x.
    const auto column = [&](int j) { return j == n ? x : a + j; };
    const auto step = [&](int j) { return j == n ? 1 : pitch; };
    for (int k = 0; k < n; ++k) {
      const int pivot = pivot_row(a + k, pitch, k, n);
      wait();
      if (pivot != k)
        for (int j = k + warp * warp_size + near_lane(); j <= n; j += workers * warp_size) {
          double *first = column(j) + k * step(j), *second = column(j) + pivot * step(j);
          const double value = *first;
          *first = *second, *second = value;
        }
      wait();
      const double inverse = -1 / a[k * pitch + k];
      for (int i = k + 1 + near_lane(); i < n; i += warp_size) {
        const double factor = inverse * a[i * pitch + k];
        for (int first = k + 1 + warp; first < n; first += at_once * workers) {
          double own[at_once], other[at_once];
#pragma unroll
          for (int m = 0; m < at_once; ++m)
            if (const int j = first + m * workers; j < n) own[m] = a[i * pitch + j], other[m] = a[k * pitch + j];
#pragma unroll
          for (int m = 0; m < at_once; ++m)
            if (const int j = first + m * workers; j < n) a[i * pitch + j] = fma(factor, other[m], own[m]);
        }
        if (warp == 0) x[i] = fma(factor, x[k], x[i]);
      }
      wait();
    }
    if (warp == 0)
      for (int i = n - 1; i >= 0; --i) {
        const double solution = x[i] / a[i * pitch + i];
        __syncwarp();
        for (int row = near_lane(); row <= i; row += warp_size)
          x[row] = row == i ? solution : fma(-solution, a[row * pitch + i], x[row]);
        __syncwarp();
      }
  }
  __syncthreads();
}

}  // namespace quartic::cuda
