// What tensor cores read: coefficients in pieces of 16 bytes per lane.
#pragma once

#include <cuda_runtime.h>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// Rows of H, bodies and monomials of a matrix instruction.
inline constexpr int tensor_rows = 16;
inline constexpr int tensor_columns = 8;
inline constexpr int tensor_depth = 8;

/// What a lane loads at once: 16 bytes.
template <class T>
struct FragmentOf;
template <>
struct FragmentOf<float> {
  using Type = float4;
};
template <>
struct FragmentOf<double> {
  using Type = double2;
};
template <class T>
using Fragment = typename FragmentOf<T>::Type;

/// Fragments of the 16 rows of coefficients that an instruction takes, two per lane. Of the four entries that the lane
/// holds (mma.cuh) they are
///   float: the upper 11 bits of each, then the 11 bits below;
///   double: the two of monomial t, then those of monomial t + 4.
inline constexpr int step_fragments = 2 * warp_size;

/// Fragments of a step in shared memory, where a block has so many bodies and sums `row_tiles` at once; two steps'.
[[nodiscard]] __host__ __device__ constexpr int tensor_slab_fragments(int bodies, int row_tiles) {
  return bodies / tensor_columns * warp_size + row_tiles * step_fragments;
}
[[nodiscard]] __host__ __device__ constexpr int tensor_slab_bytes(int bodies, int row_tiles) {
  return 2 * tensor_slab_fragments(bodies, row_tiles) * 16;
}

/// The factors of monomials t, x and y, and t + 4, z and w, of a step: where their rows of points start, in pairs of
/// bodies, for rows of 128 bodies.
using MonomialFactors = uint4;

/// A model's coefficients, with rows and monomials padded by zeros.
template <class T>
struct TensorImage {
  const Fragment<T>* fragments;    // [step][row tile][2][lane]
  const MonomialFactors* factors;  // [step][t]
  int row_tiles;                   // of tensor_rows each
  int steps;                       // of tensor_depth monomials each
};

}  // namespace quartic::cuda
