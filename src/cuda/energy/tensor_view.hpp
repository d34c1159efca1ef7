// What warps load for tensor cores: coefficients in pieces of 16 bytes per lane.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

/// Rows of H, bodies and monomials of a matrix instruction.
inline constexpr int tensor_rows = 16;
inline constexpr int tensor_columns = 8;
template <class T>
inline constexpr int tensor_depth = sizeof(T) == 4 ? 16 : 8;
/// Monomials of a step that a lane (g, t) holds: t, t + 4 and so on.
template <class T>
inline constexpr int lane_monomials = tensor_depth<T> / 4;

/// What a lane loads at once: 16 bytes.
template <class T>
struct FragmentOf;
template <>
struct FragmentOf<float> {
  using Type = uint4;
};
template <>
struct FragmentOf<double> {
  using Type = double2;
};
template <class T>
using Fragment = typename FragmentOf<T>::Type;

/// Fragments per lane of the 16 rows of coefficients that an instruction takes.
///   float: the upper 8 significant bits of its eight coefficients, those behind, and the rest (mma.cuh);
///   double: the two of monomial t, then those of monomial t + 4.
template <class T>
inline constexpr int tile_parts = sizeof(T) == 4 ? 3 : 2;
template <class T>
inline constexpr int tile_fragments = tile_parts<T>* warp_size;

/// The monomials that a lane holds of a step and a body. In shared memory those of a slab of 16 monomials: for each
/// step and column of 8 bodies 32 words of 16 bytes, and in `float`, behind all of these, as many of 8 bytes.
template <class T>
inline constexpr int slab_steps = 16 / tensor_depth<T>;
template <class T>
[[nodiscard]] __host__ __device__ constexpr int tensor_slab_bytes(int bodies) {
  return 16 * bodies * (sizeof(T) == 4 ? 6 : 8);
}

/// The factors of a lane's monomials of a step: rows of points.
template <class T>
struct alignas(lane_monomials<T> * 2) MonomialFactors {
  MonomialPair pairs[lane_monomials<T>];
};

/// A model's coefficients, with rows and monomials padded by zeros.
template <class T>
struct TensorImage {
  const Fragment<T>* fragments;       // [step][row tile][of tile_fragments]
  const MonomialFactors<T>* factors;  // [step][t]
  int row_tiles;                      // of tensor_rows each
  int steps;                          // of tensor_depth monomials each
};

}  // namespace quartic::cuda
