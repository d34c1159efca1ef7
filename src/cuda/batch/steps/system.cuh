// The system matrices of 32 bodies, one body per lane: products with K, Cholesky factor, solution.
//
// P warps of a block share the work on the lower triangle in 4x4 blocks; the entries of a body lie `stride` apart,
// those of the 32 bodies side by side. The matrices are in shared memory where that is large enough, else in global
// memory: the same operations in the same order, so the same bits. Rows behind the rank are zeros, but for the diagonal
// that the integrator adds, and don't touch the others.
//
// Factor and both substitutions take r^3/3 + 2 r^2 flops per body. A warp computes whole blocks of a column and all
// warps the diagonal block, which saves a barrier: there is one per block column.
#pragma once

#include <cstdint>
#include <limits>

#include "core/batch/scheme.hpp"
#include "core/batch/shift_rule.hpp"
#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// A of a body, with a shift on its diagonal.
template <class T>
struct SystemTerms {
  SystemScales<T> scales;
  T shift;
};

/// K = first_weight K_first + second_weight K_second, each from rows of H.
template <class T>
struct StiffnessRows {
  const T* first;
  T first_weight;
  const T* second;  // or null
  T second_weight;

  [[nodiscard]] __device__ T operator()(int row) const {
    const T value = first_weight * first[row * tile_bodies];
    return second == nullptr ? value : fma(second_weight, second[row * tile_bodies], value);
  }
};

/// 1 / sqrt(x) of a positive finite number, but for its last bit. Square root and reciprocal as the standard rounds
/// them have a branch each for rare numbers, and would take half of the time of a factorisation.
[[nodiscard]] __device__ inline float inverse_root(float x) {
  const float y = rsqrtf(x);
  return fma(0.5F * y, fma(-x * y, y, 1.0F), y);  // a Newton step
}
[[nodiscard]] __device__ inline double inverse_root(double x) {
  return rsqrt(x);
}

template <class T, bool in_shared_memory>
class System {
 public:
  static constexpr int stride = in_shared_memory ? warp_size : tile_bodies;

  /// @param matrix entry 0 of this thread's body
  /// @param warp, warps this warp's number among those that share the work on its bodies
  __device__ System(int rank, T* matrix, int warp, int warps)
      : rank_(rank), blocks_(block_count(rank)), warp_(warp), warps_(warps), matrix_(matrix) {}

  /// Takes K. Begins and ends with a barrier.
  __device__ void load(const StiffnessRows<T>& stiffness) {
    __syncthreads();
    for (int block = warp_; block < blocks_ * (blocks_ + 1) / 2; block += warps_) load_block(block, stiffness);
    __syncthreads();
  }

  /// Takes the matrix that `make(block row, block column, entries)` tells, both triangles of the blocks on the
  /// diagonal. Each block stays with its warp: no barrier.
  template <class Make>
  __device__ void fill(const Make& make) {
    for_own_blocks([&](int i, int j, T* to) {
      T entries[block_entries];
      make(i, j, entries);
#pragma unroll
      for (int e = 0; e < block_entries; ++e) to[e * stride] = entries[e];
    });
  }
  /// Adds K to what is there, `stiffness(row)` being an entry by its row of H. Begins and ends with a barrier.
  template <class Stiffness>
  __device__ void add(const Stiffness& stiffness) {
    __syncthreads();
    for_own_blocks([&](int i, int j, T* to) {
#pragma unroll
      for (int e = 0; e < block_entries; ++e) {
        const int a = i * block_size + e / block_size, b = j * block_size + e % block_size;
        if (a < rank_ && b < rank_) to[e * stride] += stiffness(a >= b ? stiffness_row(a, b) : stiffness_row(b, a));
      }
    });
    __syncthreads();
  }

  /// Adds to K's entries (i, j) and (j, i), j <= i, of this thread's body: for updates of K, see `solve`.
  __device__ void add(int i, int j, T value) {
    T* block = block_at(i / block_size, j / block_size);
    const int m = i % block_size, n = j % block_size;
    block[(m * block_size + n) * stride] += value;
    if (i / block_size == j / block_size && m != n) block[(n * block_size + m) * stride] += value;
  }
  /// K <- K - b b^T. @param b shape (r, 3), entry (i, n) at [(3 i + n) b_stride]; complete for all warps before
  __device__ void subtract_square(const T* b, int b_stride) {
    for (int i = 0, block = 0; i < blocks_; ++i)
      for (int j = 0; j <= i; ++j, ++block)
        if (block % warps_ == warp_) subtract_from_block(i, j, b, b_stride);
  }
  /// For who shares out the work on K: this warp's number among `warps()`.
  [[nodiscard]] __device__ int warp() const {
    return warp_;
  }
  [[nodiscard]] __device__ int warps() const {
    return warps_;
  }

  /// y <- y + K x. A warp computes whole block rows; x, y: vectors as below, complete for all warps before.
  __device__ void multiply_add(const T* x, T* y) const {
    for (int i = warp_; i < blocks_; i += warps_) {
      T sum[block_size];
      read(y, i, sum);
      for (int j = 0; j < blocks_; ++j) {
        const T* a = block_at(j <= i ? i : j, j <= i ? j : i);
        const int row_step = (j <= i ? block_size : 1) * stride, column_step = (j <= i ? 1 : block_size) * stride;
        T b[block_size];
        read(x, j, b);
#pragma unroll
        for (int m = 0; m < block_size; ++m)
#pragma unroll
          for (int n = 0; n < block_size; ++n) sum[m] = fma(a[m * row_step + n * column_step], b[n], sum[m]);
      }
      write(sum, y, i);
    }
  }

  /// Replaces K by the factor L of A = L L^T and y by L^-1 b. Needs a barrier before it, and ends with one.
  /// @return false if a pivot was <= 0 or not finite; it counts as 1 then
  __device__ bool factorize(const SystemTerms<T>& terms, const T* b, T* y) {
    bool good = true;
    for (int j = 0; j < blocks_; ++j) {
      T diagonal[block_entries];
      form_diagonal_block(j, terms, diagonal);
      good = factorize_block(diagonal) && good;
      for (int i = j + 1 + warp_; i <= blocks_; i += warps_) {
        if (i < blocks_)
          eliminate_block(i, j, terms.scales.stiffness, diagonal);
        else  // behind the last block row stands b
          eliminate_vector(j, diagonal, b, y);
      }
      __syncthreads();  // column j is complete; nobody reads the old diagonal block any more
      if (warp_ == 0)
#pragma unroll
        for (int e = 0; e < block_entries; ++e) block_at(j, j)[e * stride] = diagonal[e];
    }
    __syncthreads();
    return good;
  }

  /// x <- L^-T y; y is overwritten. Ends with a barrier.
  __device__ void substitute(T* y, T* x) const {
    for (int j = blocks_ - 1; j >= 0; --j) {
      T l[block_entries], solution[block_size];
      read_block(block_at(j, j), l);
      read(y, j, solution);
#pragma unroll
      for (int m = block_size - 1; m >= 0; --m) {
#pragma unroll
        for (int n = m + 1; n < block_size; ++n) solution[m] = fma(-l[n * block_size + m], solution[n], solution[m]);
        solution[m] *= l[m * block_size + m];
      }
      if (warp_ == 0) write(solution, x, j);
      for (int i = warp_; i < j; i += warps_) {
        const T* a = block_at(j, i);
        T sum[block_size];
        read(y, i, sum);
#pragma unroll
        for (int m = 0; m < block_size; ++m)
#pragma unroll
          for (int n = 0; n < block_size; ++n) sum[n] = fma(-a[(m * block_size + n) * stride], solution[m], sum[n]);
        write(sum, y, i);
      }
      __syncthreads();
    }
  }

  /// sum |A_ii| / r without a shift, while K is there.
  [[nodiscard]] __device__ T mean_diagonal(const SystemTerms<T>& terms) const {
    T sum = 0;
    for (int i = 0; i < rank_; ++i) {
      const T* block = block_at(i / block_size, i / block_size);
      sum +=
          fabs(fma(terms.scales.stiffness, block[i % block_size * (block_size + 1) * stride], terms.scales.diagonal));
    }
    return sum / static_cast<T>(rank_);
  }

  /// Vectors are [4 blocks][32] in shared memory, zero behind the rank.
  [[nodiscard]] __device__ static T* vector(T* shared, int rank, int which) {
    return shared + which * block_count(rank) * block_size * warp_size + threadIdx.x % warp_size;
  }

 private:
  [[nodiscard]] __device__ T* block_at(int i, int j) const {
    return matrix_ + (i * (i + 1) / 2 + j) * block_entries * stride;
  }
  __device__ static void read_block(const T* from, T (&to)[block_entries]) {
#pragma unroll
    for (int e = 0; e < block_entries; ++e) to[e] = from[e * stride];
  }
  __device__ static void read(const T* vector, int block, T (&to)[block_size]) {
#pragma unroll
    for (int m = 0; m < block_size; ++m) to[m] = vector[(block * block_size + m) * warp_size];
  }
  __device__ static void write(const T (&from)[block_size], T* vector, int block) {
#pragma unroll
    for (int m = 0; m < block_size; ++m) vector[(block * block_size + m) * warp_size] = from[m];
  }

  // use(block row, block column, entry 0 of this thread's body) for the blocks of this warp.
  template <class Use>
  __device__ void for_own_blocks(const Use& use) {
    for (int i = 0, block = 0; i < blocks_; ++i)
      for (int j = 0; j <= i; ++j, ++block)
        if (block % warps_ == warp_) use(i, j, block_at(i, j));
  }
  __device__ void load_block(int block, const StiffnessRows<T>& stiffness) {
    int i = 0;
    while ((i + 1) * (i + 2) / 2 <= block) ++i;
    const int j = block - i * (i + 1) / 2;
    T* to = block_at(i, j);
#pragma unroll
    for (int e = 0; e < block_entries; ++e) {
      const int a = i * block_size + e / block_size, b = j * block_size + e % block_size;
      const bool inside = a < rank_ && b < rank_;
      to[e * stride] = inside ? stiffness(a >= b ? stiffness_row(a, b) : stiffness_row(b, a)) : T{0};
    }
  }

  // Rows 4 i .. of b, with zeros behind the rank.
  __device__ void read_rows(const T* b, int b_stride, int i, T (&to)[block_size][3]) const {
#pragma unroll
    for (int m = 0; m < block_size; ++m)
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        const int row = i * block_size + m;
        to[m][n] = row < rank_ ? b[(3 * row + n) * b_stride] : T{0};
      }
  }
  __device__ void subtract_from_block(int i, int j, const T* b, int b_stride) {
    T first[block_size][3], second[block_size][3];
    read_rows(b, b_stride, i, first);
    read_rows(b, b_stride, j, second);
    T* to = block_at(i, j);
#pragma unroll
    for (int m = 0; m < block_size; ++m)
#pragma unroll
      for (int k = 0; k < block_size; ++k) {
        T value = to[(m * block_size + k) * stride];
#pragma unroll
        for (int n = 0; n < 3; ++n) value = fma(-first[m][n], second[k][n], value);
        to[(m * block_size + k) * stride] = value;
      }
  }

  // A_jj minus what the columns before leave of it, lower half.
  __device__ void form_diagonal_block(int j, const SystemTerms<T>& terms, T (&d)[block_entries]) const {
    read_block(block_at(j, j), d);
#pragma unroll
    for (int e = 0; e < block_entries; ++e) d[e] *= terms.scales.stiffness;
#pragma unroll
    for (int m = 0; m < block_size; ++m)
      d[m * block_size + m] = d[m * block_size + m] + terms.scales.diagonal + terms.shift;
#pragma unroll 1
    for (int k = 0; k < j; ++k) {
      T u[block_entries];
      read_block(block_at(j, k), u);
#pragma unroll
      for (int m = 0; m < block_size; ++m)
#pragma unroll
        for (int n = 0; n <= m; ++n)
#pragma unroll
          for (int t = 0; t < block_size; ++t)
            d[m * block_size + n] = fma(-u[m * block_size + t], u[n * block_size + t], d[m * block_size + n]);
    }
  }

  // The factor of a 4x4 block, with the reciprocals of its diagonal.
  __device__ static bool factorize_block(T (&d)[block_entries]) {
    bool good = true;
#pragma unroll
    for (int k = 0; k < block_size; ++k) {
      const T pivot = d[k * block_size + k];
      const bool usable = pivot > 0 && pivot <= std::numeric_limits<T>::max();
      good = good && usable;
      const T inverse = inverse_root(usable ? pivot : T{1});
      d[k * block_size + k] = inverse;
#pragma unroll
      for (int m = k + 1; m < block_size; ++m) d[m * block_size + k] *= inverse;
#pragma unroll
      for (int m = k + 1; m < block_size; ++m)
#pragma unroll
        for (int n = k + 1; n <= m; ++n)
          d[m * block_size + n] = fma(-d[m * block_size + k], d[n * block_size + k], d[m * block_size + n]);
    }
    return good;
  }

  // Block (i, j) of L, i > j.
  __device__ void eliminate_block(int i, int j, T scale, const T (&d)[block_entries]) {
    T* to = block_at(i, j);
    T a[block_entries];
    read_block(to, a);
#pragma unroll
    for (int e = 0; e < block_entries; ++e) a[e] *= scale;
#pragma unroll 1
    for (int k = 0; k < j; ++k) {
      T u[block_entries];
      read_block(block_at(i, k), u);
      const T* other = block_at(j, k);
#pragma unroll
      for (int n = 0; n < block_size; ++n) {
        T v[block_size];
#pragma unroll
        for (int t = 0; t < block_size; ++t) v[t] = other[(n * block_size + t) * stride];
#pragma unroll
        for (int m = 0; m < block_size; ++m)
#pragma unroll
          for (int t = 0; t < block_size; ++t)
            a[m * block_size + n] = fma(-u[m * block_size + t], v[t], a[m * block_size + n]);
      }
    }
#pragma unroll
    for (int m = 0; m < block_size; ++m) divide_row(a + m * block_size, d);
#pragma unroll
    for (int e = 0; e < block_entries; ++e) to[e * stride] = a[e];
  }

  // Block j of L^-1 b.
  __device__ void eliminate_vector(int j, const T (&d)[block_entries], const T* b, T* y) const {
    T sum[block_size];
    read(b, j, sum);
#pragma unroll 1
    for (int k = 0; k < j; ++k) {
      const T* other = block_at(j, k);
      T u[block_size];
      read(y, k, u);
#pragma unroll
      for (int n = 0; n < block_size; ++n)
#pragma unroll
        for (int t = 0; t < block_size; ++t) sum[n] = fma(-u[t], other[(n * block_size + t) * stride], sum[n]);
    }
    divide_row(sum, d);
    write(sum, y, j);
  }

  // row <- row L_jj^-T.
  __device__ static void divide_row(T* row, const T (&d)[block_entries]) {
#pragma unroll
    for (int n = 0; n < block_size; ++n) {
#pragma unroll
      for (int m = 0; m < n; ++m) row[n] = fma(-row[m], d[n * block_size + m], row[n]);
      row[n] *= d[n * block_size + n];
    }
  }

  int rank_, blocks_, warp_, warps_;
  T* matrix_;
};

struct SolveResult {
  bool regularised;  // a shift was tried
  bool unsolvable;   // and none helped
};

/// The rule of shifts: a body whose matrix isn't positive definite gets a shift tau, 10 tau, ... The others' shift
/// stays zero, so that they get the same factor again, bit for bit.
template <class T>
struct Shifts {
  T shift = 0, tau = 0;
  int tries = 0;

  [[nodiscard]] __device__ bool exhausted() const { return tries == regularisation_tries; }
  /// Before another try, for bodies that failed. @param system with K in it
  template <class S>
  __device__ void raise(const S& system, const SystemTerms<T>& terms, bool failed) {
    if (tries == 0) tau = first_shift(system.mean_diagonal(terms));
    if (failed) shift = take_shift(tau);
    ++tries;
  }
};

/// What a capability adds to the stiffness of its bodies before each factorisation: here nothing.
struct NoStiffnessUpdate {
  template <class S>
  __device__ void operator()(S&) const {}
};

/// x <- A^-1 b for `open` bodies, by the rule of shifts. K is in `system`, and `load()`, which begins and ends with a
/// barrier, puts it there again; `update(system)` adds to K what the product above it doesn't have: each entry by one
/// warp, and a barrier at the end. `y` is overwritten. Needs a barrier before it, and ends with one. All threads of a
/// body get the same result.
template <class S, class T, class Load, class Update = NoStiffnessUpdate>
__device__ SolveResult solve(S& system, const Load& load, SystemTerms<T> terms, bool open, const T* b, T* y, T* x,
                             const Update& update = {}) {
  update(system);
  bool failed = !system.factorize(terms, b, y) && open;
  const bool regularised = failed;
  // All warps see the same pivots, so they go the same way.
  for (Shifts<T> shifts; !shifts.exhausted() && __any_sync(0xffffffffU, failed);) {
    load();
    update(system);
    shifts.raise(system, terms, failed);
    terms.shift = shifts.shift;
    failed = !system.factorize(terms, b, y) && open;
  }
  system.substitute(y, x);
  return {regularised, failed};
}

}  // namespace quartic::cuda
