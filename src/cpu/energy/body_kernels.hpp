// Coefficients and kernels for one body at a time, as fast as one can be: the matrix between pair monomials is
// symmetric, so that half of it is read, and vectors run along its rows.
#pragma once

#include <cstdint>

#include "core/base/aligned_array.hpp"
#include "cpu/energy/step_kernels.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic::cpu {

/// Values that are worked on together: 32 bytes, one vector register or two.
template <class T>
inline constexpr std::int64_t vector_length = 32 / static_cast<std::int64_t>(sizeof(T));

/// Rows of the coefficient matrix that are worked on together.
inline constexpr std::int64_t symmetric_row_block = 4;

/// S_(ab)(cd) in T, the lower half, with the constant as the last of the coordinates, x = (q, 1), and pairs in the
/// order (0,0), (1,0), (1,1), (2,0), ... Four rows lie beside each other, vector by vector, up to the diagonal, which
/// is halved because it is met twice.
template <class T>
struct SymmetricCoefficients {
  using Number = T;
  static constexpr int lanes = 1;

  int rank = 0;
  std::int64_t pairs = 0;  // (r+1)(r+2)/2
  AlignedArray<T> values;

  /// @throws InputError if a coefficient is too large for T
  explicit SymmetricCoefficients(const QuarticEnergy& energy);

  /// Rows of matrices and arrays are padded with zeros to whole vectors, with room for x_r = 1.
  [[nodiscard]] static constexpr std::int64_t padded_rank(std::int64_t rank) {
    return (rank + vector_length<T>) / vector_length<T> * vector_length<T>;
  }
  [[nodiscard]] std::int64_t array_rows() const { return padded_rank(rank); }
  [[nodiscard]] std::int64_t h_rows() const { return (rank + std::int64_t{1}) * padded_rank(rank); }
  [[nodiscard]] std::int64_t stiffness_rows() const { return rank * padded_rank(rank); }
  [[nodiscard]] std::int64_t diagonal_row(std::int64_t i) const { return i * padded_rank(rank) + i; }
  [[nodiscard]] std::int64_t workspace_rows() const {
    return padded_rank(rank) + 2 * (pairs + 2 * (vector_length<T> + symmetric_row_block));
  }
  [[nodiscard]] std::int64_t factor_rows() const { return (rank + std::int64_t{1}) * padded_rank(rank); }

  /// The kernels for this machine's instruction set. K is its lower triangle, row by row, zeros behind it. The factor
  /// is U D U^T, U unit upper and stored as the rows of U^T, D's inverse behind them.
  [[nodiscard]] static const StepKernels<T, SymmetricCoefficients>& kernels();
};

}  // namespace quartic::cpu
