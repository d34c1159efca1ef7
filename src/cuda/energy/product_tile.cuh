// The product of a model's coefficients with the monomials of a tile of bodies, a slab of monomials at a time: what the
// kernels that evaluate H have in common.
//
// A warp works on a unit of rows, or several, for all of the tile's 32, 64 or 128 bodies; its lanes stand in a grid
// over rows and bodies (LaneGrid). Each sum runs over the monomials in order, in one thread, by `fma`: its bits depend
// on nothing but the body and the model.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// Values that one instruction loads, of 16 bytes at most.
template <class T, int count>
struct Vector;
template <>
struct Vector<float, 4> {
  using Type = float4;
  static __device__ void unpack(const float4& v, float* to) { to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w; }
  static __device__ float4 pack(const float* from) { return make_float4(from[0], from[1], from[2], from[3]); }
};
template <>
struct Vector<double, 2> {
  using Type = double2;
  static __device__ void unpack(const double2& v, double* to) { to[0] = v.x, to[1] = v.y; }
  static __device__ double2 pack(const double* from) { return make_double2(from[0], from[1]); }
};

template <int count, class T>
__device__ void load_vector(const T* from, T* to) {
  Vector<T, count>::unpack(*reinterpret_cast<const typename Vector<T, count>::Type*>(from), to);
}
template <int count, class T>
__device__ void store_vector(const T* from, T* to) {
  *reinterpret_cast<typename Vector<T, count>::Type*>(to) = Vector<T, count>::pack(from);
}

/// The same number, but the compiler doesn't know: what follows from it is computed again instead of being kept in
/// registers, which the product needs.
[[nodiscard]] __device__ inline int recomputed(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Which rows and bodies a lane has of its warp's share: packs of 16 bytes of either, those of all lanes side by side.
/// As square as registers allow, since a lane loads rows + bodies values for rows x bodies multiply-adds. Lanes n and n
/// ^ 1 have the same rows, lanes n and n ^ 2 the same bodies: where such pairs agree, shared memory returns a warp's
/// 16-byte loads in two cycles instead of four.
template <class T, int bodies>
struct LaneGrid {
  static constexpr int row_groups = lane_row_groups(bodies), body_groups = warp_size / row_groups;
  static constexpr int unit_rows = cuda::unit_rows<T>(bodies);
  static constexpr int columns = bodies / body_groups;            // bodies of a lane
  static constexpr int column_step = body_groups * pack_size<T>;  // from one of its packs of bodies to the next

  /// A lane's first row of a unit.
  [[nodiscard]] static __device__ int row() {
    const int n = lane(), group = row_groups == 2 ? n >> 1 & 1 : (n >> 1 & 1) | (n >> 3 & 2);
    return group * pack_size<T>;
  }
  /// A lane's first body.
  [[nodiscard]] static __device__ int body() {
    const int n = lane(), group = (n & 1) | (n >> 1 & (row_groups == 2 ? 14 : 6));
    return group * pack_size<T>;
  }

 private:
  [[nodiscard]] static __device__ int lane() { return recomputed(static_cast<int>(threadIdx.x)) % warp_size; }
};

/// Starts the copy of `monomials` monomials of a block of rows by one warp. It is complete after the warp's
/// `__pipeline_wait_prior` and a barrier.
template <class T, int monomials>
__device__ void copy_coefficients(const T* from, T* to) {
  constexpr int packs = monomials * block_rows<T> / pack_size<T>;
#pragma unroll
  for (int n = 0; n < packs; n += warp_size) {
    const int pack = n + static_cast<int>(threadIdx.x) % warp_size;
    __pipeline_memcpy_async(to + pack * pack_size<T>, from + pack * pack_size<T>, 16);
  }
}

/// `monomials` monomials of the tile's bodies, shared out among all threads of the block.
/// @tparam threads of the block, so that each can load all its factors before it multiplies; 0: as many as there are
/// @param points (1, coordinates), rows of `bodies` values; `slab` likewise
template <class T, int bodies, int monomials, int threads = 0>
__device__ void make_monomials(const MonomialPair* pairs, const T* points, T* slab) {
  constexpr int packs = bodies / pack_size<T>, all = monomials * packs;
  constexpr int at_once = threads > 0 ? all / (threads > 0 ? threads : 1) : 1;
  static_assert(threads == 0 || at_once * threads == all);
  const int step = threads > 0 ? threads : static_cast<int>(blockDim.x);
  for (int first = recomputed(static_cast<int>(threadIdx.x)); first < all; first += at_once * step) {
    MonomialPair pair[at_once];
    T a[at_once][pack_size<T>], b[at_once][pack_size<T>];
#pragma unroll
    for (int n = 0; n < at_once; ++n) pair[n] = pairs[(first + n * step) / packs];
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const int lane = (first + n * step) % packs * pack_size<T>;
      load_vector<pack_size<T>>(points + pair[n].first * bodies + lane, a[n]);
      load_vector<pack_size<T>>(points + pair[n].second * bodies + lane, b[n]);
    }
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
#pragma unroll
      for (int k = 0; k < pack_size<T>; ++k) a[n][k] *= b[n][k];
      store_vector<pack_size<T>>(a[n], slab + (first + n * step) * pack_size<T>);
    }
  }
}

/// sums += c m for two neighbouring bodies.
template <class T>
__device__ void multiply_add_pair(T c, const T* m, T* sums) {
  sums[0] = fma(c, m[0], sums[0]);
  sums[1] = fma(c, m[1], sums[1]);
}
#if __CUDA_ARCH__ >= 1000
/// One instruction for both, each rounded as by `fma`.
template <>
__device__ inline void multiply_add_pair(float c, const float* m, float* sums) {
  const float2 sum = __ffma2_rn(make_float2(c, c), make_float2(m[0], m[1]), make_float2(sums[0], sums[1]));
  sums[0] = sum.x, sums[1] = sum.y;
}
#endif

/// Adds one monomial's share to the sums of `units` units of rows.
/// @param coefficients this lane's first row of the first unit; units lie `unit_step` apart
/// @param monomial of this lane's first body
template <int bodies, int units, class T, int rows>
__device__ void multiply_monomial(const T* coefficients, int unit_step, const T* monomial,
                                  T (&sums)[rows][LaneGrid<T, bodies>::columns]) {
  static_assert(units * pack_size<T> <= rows);
  using Grid = LaneGrid<T, bodies>;
  T m[Grid::columns];
#pragma unroll
  for (int b = 0; b < Grid::columns; b += pack_size<T>)
    load_vector<pack_size<T>>(monomial + b / pack_size<T> * Grid::column_step, m + b);
#pragma unroll
  for (int unit = 0; unit < units; ++unit) {
    T c[pack_size<T>];
    load_vector<pack_size<T>>(coefficients + unit * unit_step, c);
#pragma unroll
    for (int e = 0; e < pack_size<T>; ++e)
#pragma unroll
      for (int b = 0; b < Grid::columns; b += 2) multiply_add_pair(c[e], m + b, sums[unit * pack_size<T> + e] + b);
  }
}

}  // namespace quartic::cuda
