// The product of a model's coefficients with the monomials of a tile of bodies, a slab of monomials at a time: what the
// kernels that evaluate H have in common.
//
// A tile is 32 `width` bodies, lane l of each warp having `width` of them; a warp sums `count` blocks of rows. Each sum
// runs over the monomials in order, in one thread, by `fma`: its bits depend on nothing but the body and the model.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <type_traits>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// Values that one instruction loads, of 16 bytes at most.
template <class T, int count>
struct Vector;
template <class T>
struct Vector<T, 1> {
  using Type = T;
  static __device__ void unpack(const T& v, T* to) { to[0] = v; }
  static __device__ T pack(const T* from) { return from[0]; }
};
template <>
struct Vector<float, 2> {
  using Type = float2;
  static __device__ void unpack(const float2& v, float* to) { to[0] = v.x, to[1] = v.y; }
  static __device__ float2 pack(const float* from) { return make_float2(from[0], from[1]); }
};
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

template <class T>
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));

template <int count, class T>
__device__ void load_vector(const T* from, T* to) {
  Vector<T, count>::unpack(*reinterpret_cast<const typename Vector<T, count>::Type*>(from), to);
}
template <int count, class T>
__device__ void store_vector(const T* from, T* to) {
  *reinterpret_cast<typename Vector<T, count>::Type*>(to) = Vector<T, count>::pack(from);
}

/// How a lane's bodies lie in a row of the tile: vectors of `vector` bodies, those of all lanes side by side.
template <class T, int width>
struct LaneVectors {
  static constexpr int size = width < pack_size<T> ? width : pack_size<T>;
  static constexpr int count = width / size;
  static constexpr int step = warp_size * size;
  static __device__ int first() { return static_cast<int>(threadIdx.x) % warp_size * size; }
};

/// The same number, but the compiler doesn't know: what follows from it is computed again instead of being kept in
/// registers, which the product needs.
[[nodiscard]] __device__ inline int recomputed(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

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
/// @param points (1, coordinates), rows of `bodies` values; `slab` likewise
template <class T, int bodies, int monomials>
__device__ void make_monomials(const MonomialPair* pairs, const T* points, T* slab) {
  constexpr int packs = bodies / pack_size<T>;
  for (int n = recomputed(static_cast<int>(threadIdx.x)); n < monomials * packs; n += static_cast<int>(blockDim.x)) {
    const MonomialPair pair = pairs[n / packs];
    const int lane = n % packs * pack_size<T>;
    T a[pack_size<T>], b[pack_size<T>];
    load_vector<pack_size<T>>(points + pair.first * bodies + lane, a);
    load_vector<pack_size<T>>(points + pair.second * bodies + lane, b);
#pragma unroll
    for (int k = 0; k < pack_size<T>; ++k) a[k] *= b[k];
    store_vector<pack_size<T>>(a, slab + n / packs * bodies + lane);
  }
}

/// Adds one monomial's share to the sums of the first `count` blocks of rows, which lie `block_step` apart.
template <class Count, class T, int rows, int width>
__device__ void multiply_monomial(Count count, const T* coefficients, int block_step, const T* monomial,
                                  T (&sums)[rows][width]) {
  using Lane = LaneVectors<T, width>;
  T m[width];
#pragma unroll
  for (int v = 0; v < Lane::count; ++v)
    load_vector<Lane::size>(monomial + Lane::first() + v * Lane::step, m + v * Lane::size);
#pragma unroll
  for (int block = 0; block < rows / block_rows<T>; ++block) {
    if (block >= count) break;
    T c[block_rows<T>];
#pragma unroll
    for (int p = 0; p < block_rows<T>; p += pack_size<T>)
      load_vector<pack_size<T>>(coefficients + block * block_step + p, c + p);
#pragma unroll
    for (int row = 0; row < block_rows<T>; ++row)
#pragma unroll
      for (int b = 0; b < width; ++b) {
        T& sum = sums[block * block_rows<T> + row][b];
        sum = fma(c[row], m[b], sum);
      }
  }
}

}  // namespace quartic::cuda
