// The system matrix of one body, worked on by all threads of a block: A = L D L^T in panels of four columns.
//
// A's lower triangle lies row by row in shared memory, padded to whole panels by rows of the identity; the row behind
// the last one is b, so that forward substitution is a part of the factorisation. Per panel all threads factorise the
// 4x4 block on the diagonal, which saves a barrier; then a thread per row finishes the panel's columns; then the rest
// of the triangle is updated, a warp per row and a lane per column. Two barriers per panel, and one in the back
// substitution. Each entry is summed panel by panel in one thread: the order depends on the rank alone.
#pragma once

#include <limits>

#include "core/batch/scheme.hpp"
#include "core/batch/shift_rule.hpp"
#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// K = first_weight K_first + second_weight K_second, each from rows of H. A capability that adds to the stiffness of
/// its bodies gives `solve` a type of its own, whose `entry` adds.
template <class T>
struct BodyStiffness {
  const T* first;
  T first_weight;
  const T* second;  // or null
  T second_weight;

  /// K_ij, i >= j.
  [[nodiscard]] __device__ T entry(int i, int j) const {
    const int row = stiffness_row(i, j);
    const T value = first_weight * first[row];
    return second == nullptr ? value : fma(second_weight, second[row], value);
  }
};

/// K + weight D, where D has K's rows.
template <class T>
struct DampedStiffness {
  BodyStiffness<T> k;
  const T* d;  // or null
  T weight;

  [[nodiscard]] __device__ T entry(int i, int j) const {
    const T value = k.entry(i, j);
    return d == nullptr ? value : fma(weight, d[stiffness_row(i, j)], value);
  }
};

template <class T>
class BodySystem {
 public:
  /// @param memory body_system_size(rank) values
  __device__ BodySystem(int rank, T* memory)
      : rank_(rank),
        padded_(block_count(rank) * block_size),
        lower_(memory),
        upper_(lower_ + (padded_ + 1) * block_size),
        matrix_(upper_ + (padded_ + 1) * block_size) {}

  /// Takes A, with a shift, and b. Ends with a barrier.
  /// @param k `entry(i, j)` is K_ij, i >= j
  template <class Stiffness>
  __device__ void load(const Stiffness& k, const SystemScales<T>& scales, T shift, const T* b) {
    for (int i = warp(); i <= padded_; i += warps())
      for (int j = lane(); j <= i; j += warp_size) {
        T value = i == j ? T{1} : T{0};
        if (j < rank_ && i < rank_) {
          value = scales.stiffness * k.entry(i, j);
          if (i == j) value = value + scales.diagonal + shift;
        } else if (i == padded_) {
          value = j < rank_ ? b[j] : T{0};
        }
        row(i)[j] = value;
      }
    __syncthreads();
  }

  /// Replaces A by L and 1/D, and b by D^-1 L^-1 b. Ends with a barrier.
  /// @return false, for all threads, if a pivot was <= 0 or not finite; it counts as 1 then
  __device__ bool factorize() {
    bool good = true;
    for (int first = 0; first < padded_; first += block_size) {
      T d[block_size][block_size];
      for (int m = 0; m < block_size; ++m)
        for (int n = 0; n <= m; ++n) d[m][n] = row(first + m)[first + n];
      good = factorize_block(d) && good;
      const int next = first + block_size;
      for (int i = next + thread(); i <= padded_; i += threads()) finish_row(i, first, d);
      __syncthreads();  // the panel is complete; nobody reads the old block on the diagonal any more
      if (thread() == 0)
        for (int m = 0; m < block_size; ++m)
          for (int n = 0; n <= m; ++n) row(first + m)[first + n] = d[m][n];
      for (int i = next + warp(); i <= padded_; i += warps())
        for (int k = next + lane(); k <= i && k < padded_; k += warp_size) {
          T sum = row(i)[k];
#pragma unroll
          for (int n = 0; n < block_size; ++n) sum = fma(-panel(lower_, n)[i], panel(upper_, n)[k], sum);
          row(i)[k] = sum;
        }
      __syncthreads();
    }
    return good;
  }

  /// x <- L^-T times what `factorize` left of b. Ends with a barrier.
  __device__ void substitute(T* x) {
    T* y = row(padded_);
    for (int first = padded_ - block_size; first >= 0; first -= block_size) {
      T solution[block_size];
      for (int m = block_size - 1; m >= 0; --m) {
        solution[m] = y[first + m];
        for (int n = m + 1; n < block_size; ++n)
          solution[m] = fma(-row(first + n)[first + m], solution[n], solution[m]);
      }
      for (int i = thread(); i < first; i += threads()) {
        T sum = y[i];
#pragma unroll
        for (int n = 0; n < block_size; ++n) sum = fma(-row(first + n)[i], solution[n], sum);
        y[i] = sum;
      }
      if (thread() == 0)
        for (int m = 0; m < block_size; ++m)
          if (first + m < rank_) x[first + m] = solution[m];
      __syncthreads();
    }
  }

  /// sum |A_ii| / r without a shift.
  template <class Stiffness>
  [[nodiscard]] __device__ T mean_diagonal(const Stiffness& k, const SystemScales<T>& scales) const {
    T sum = 0;
    for (int i = 0; i < rank_; ++i) sum += fabs(scales.stiffness * k.entry(i, i) + scales.diagonal);
    return sum / static_cast<T>(rank_);
  }

 private:
  [[nodiscard]] __device__ static int thread() {
    return static_cast<int>(threadIdx.x);
  }
  [[nodiscard]] __device__ static int threads() {
    return static_cast<int>(blockDim.x);
  }
  [[nodiscard]] __device__ static int warp() {
    return thread() / warp_size;
  }
  [[nodiscard]] __device__ static int warps() {
    return threads() / warp_size;
  }
  [[nodiscard]] __device__ static int lane() {
    return thread() % warp_size;
  }
  [[nodiscard]] __device__ T* row(int i) const {
    return matrix_ + i * (padded_ + 1);
  }
  [[nodiscard]] __device__ T* panel(T* columns, int n) const {
    return columns + n * (padded_ + 1);
  }

  // L of a 4x4 block below its diagonal, and 1/D on it.
  __device__ static bool factorize_block(T (&d)[block_size][block_size]) {
    bool good = true;
#pragma unroll
    for (int k = 0; k < block_size; ++k) {
      const bool usable = d[k][k] > 0 && d[k][k] <= std::numeric_limits<T>::max();
      good = good && usable;
      const T inverse = 1 / (usable ? d[k][k] : T{1});
      d[k][k] = inverse;
      T column[block_size];
#pragma unroll
      for (int m = k + 1; m < block_size; ++m) column[m] = d[m][k], d[m][k] *= inverse;
#pragma unroll
      for (int m = k + 1; m < block_size; ++m)
#pragma unroll
        for (int n = k + 1; n <= m; ++n) d[m][n] = fma(-d[m][k], column[n], d[m][n]);
    }
    return good;
  }

  // Row i of the panel that begins with column `first`: L_i and U_i = L_i D.
  __device__ void finish_row(int i, int first, const T (&d)[block_size][block_size]) {
    T u[block_size];
#pragma unroll
    for (int n = 0; n < block_size; ++n) {
      u[n] = row(i)[first + n];
#pragma unroll
      for (int m = 0; m < n; ++m) u[n] = fma(-u[m], d[n][m], u[n]);
    }
#pragma unroll
    for (int n = 0; n < block_size; ++n) {
      const T l = u[n] * d[n][n];
      panel(upper_, n)[i] = u[n];
      panel(lower_, n)[i] = l;
      row(i)[first + n] = l;
    }
  }

  int rank_, padded_;
  T *lower_, *upper_;  // columns of the panel at work, of L and of L D: [4][row]
  T* matrix_;
};

/// x <- A^-1 b by the rule of shifts. Needs a barrier before it, and ends
/// with one; all threads get the same.
struct BodySolveResult {
  bool regularised, unsolvable;
};
template <class T, class Stiffness>
__device__ BodySolveResult solve(BodySystem<T>& system, const Stiffness& k, const SystemScales<T>& scales, const T* b,
                                 T* x) {
  const ShiftResult<T> result = factorize_by_shifts<T>([&] { return first_shift(system.mean_diagonal(k, scales)); },
                                                       [&](T shift) {
                                                         system.load(k, scales, shift, b);
                                                         return system.factorize();
                                                       });
  system.substitute(x);
  return {result.regularised, !result.solvable};
}

}  // namespace quartic::cuda
