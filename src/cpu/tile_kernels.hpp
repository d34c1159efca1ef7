// The heavy operations on a tile of bodies, one body per lane: values of a tile are stored as [row][lane]. Everything a
// body gets depends on its own lane alone, by the same sequence of operations in every lane.
#pragma once

#include <cstdint>

#include "core/aligned_array.hpp"
#include "quartic/energy.hpp"

namespace quartic::cpu {

/// Bodies in a tile: a cache line of values per row.
template <class T>
inline constexpr int lanes = 64 / static_cast<int>(sizeof(T));

/// Rows of H that are computed together: as many accumulators as registers of 32 bytes allow.
inline constexpr int row_block = 6;

/// The coefficient matrix in T, blocks of `row_block` rows, within a block [monomial][row], zero rows at the end.
template <class T>
struct PackedCoefficients {
  int rank = 0;
  std::int64_t monomials = 0;  // (r+1)(r+2)/2
  std::int64_t rows = 0;       // K in pair order, H_i0, zero rows up to a whole block
  AlignedArray<T> values;

  /// @throws InputError if a coefficient is too large for T
  explicit PackedCoefficients(const QuarticEnergy& energy);
};

template <class T>
struct TileKernels {
  /// H at q (rank rows): K as packed pairs, then H_i0.
  void (*evaluate)(const PackedCoefficients<T>& coefficients, const T* q, T* monomials, T* h);
  /// y = K x for K as packed pairs.
  void (*multiply)(int rank, const T* k, const T* x, T* y);
  /// A = scale K + (diagonal + shift) I = L D L^T, L unit lower, and D's inverse in its diagonal; `scale`, `diagonal`
  /// and `shift` are rows, a value per lane. A lane whose pivot is <= 0 or not finite gets `failed` 1, others 0.
  void (*factorize)(int rank, const T* scale, const T* diagonal, const T* shift, const T* k, T* factor, T* failed);
  /// x <- A^-1 x.
  void (*solve)(int rank, const T* factor, T* x);
};

/// The kernels for this machine's instruction set.
template <class T>
[[nodiscard]] const TileKernels<T>& tile_kernels();

}  // namespace quartic::cpu
