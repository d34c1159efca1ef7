// The systems of a time step, A x = b with A = scale K + (diagonal + shift) I, for bodies side by side: values are
// stored as [row][lane]. Two layouts: a tile of bodies, one per lane, or one body by itself.
#pragma once

#include <cstdint>

namespace quartic::cpu {

/// The heavy operations, for one instruction set.
template <class T>
struct SystemKernels {
  /// A into triangular factors; `scale`, `diagonal` and `shift` are rows, a value per lane. A lane whose pivot is <= 0
  /// or not finite gets `failed` 1, others 0.
  void (*factorize)(int rank, const T* scale, const T* diagonal, const T* shift, const T* k, T* factor, T* failed);
  /// x <- A^-1 x.
  void (*solve)(int rank, const T* factor, T* x);
};

/// Bodies in a tile: a cache line of values per row.
template <class T>
inline constexpr int lanes = 64 / static_cast<int>(sizeof(T));

/// A tile of bodies. K is its upper triangle, row by row. Each body's numbers depend on its own lane alone, by the same
/// sequence of operations in every lane.
template <class T>
struct LaneSystem {
  using Number = T;
  static constexpr int lanes = cpu::lanes<T>;

  /// Rows of arrays of coordinates: those of the rank, then zeros.
  [[nodiscard]] static constexpr std::int64_t array_rows(std::int64_t rank) { return rank; }
  [[nodiscard]] static constexpr std::int64_t stiffness_rows(std::int64_t rank) { return rank * (rank + 1) / 2; }
  /// Where K_ii is.
  [[nodiscard]] static constexpr std::int64_t diagonal_row(std::int64_t rank, std::int64_t i) {
    return i * (2 * rank - i + 1) / 2;
  }
  [[nodiscard]] static constexpr std::int64_t factor_rows(std::int64_t rank) { return stiffness_rows(rank); }

  /// Those for this machine's instruction set. The factor is L D L^T, L unit lower, D's inverse in its diagonal.
  [[nodiscard]] static const SystemKernels<T>& kernels();
};

/// Values of one body that are worked on together: 32 bytes, one vector register or two.
template <class T>
inline constexpr std::int64_t vector_length = 32 / static_cast<std::int64_t>(sizeof(T));

/// One body, vectors along rows. K is its lower triangle, row by row, zeros behind it.
template <class T>
struct BodySystem {
  using Number = T;
  static constexpr int lanes = 1;

  /// Rows of matrices and arrays are padded with zeros to whole vectors, with room for x_r = 1.
  [[nodiscard]] static constexpr std::int64_t array_rows(std::int64_t rank) {
    return (rank + vector_length<T>) / vector_length<T> * vector_length<T>;
  }
  [[nodiscard]] static constexpr std::int64_t stiffness_rows(std::int64_t rank) { return rank * array_rows(rank); }
  [[nodiscard]] static constexpr std::int64_t diagonal_row(std::int64_t rank, std::int64_t i) {
    return i * array_rows(rank) + i;
  }
  [[nodiscard]] static constexpr std::int64_t factor_rows(std::int64_t rank) { return (rank + 1) * array_rows(rank); }

  /// Those for this machine's instruction set. The factor is U D U^T, U unit upper and stored as the rows of U^T, D's
  /// inverse behind them.
  [[nodiscard]] static const SystemKernels<T>& kernels();
};

}  // namespace quartic::cpu
