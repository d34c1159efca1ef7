// The nonlinear part of a force as rows that kernels multiply with.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/aligned_array.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic {

/// Rows of N(z) = R(z) - K0 z in T: products with the monomials z_b z_c, b <= c, and z_b z_c z_d, b <= c <= d, in
/// lexicographic order. Stored in blocks of `block` rows, [monomial][row] within one, zero rows at the end.
template <class T>
struct CubicForm {
  static constexpr int block = 6;

  int rank = 0, rows = 0;
  AlignedArray<T> values;

  CubicForm() = default;
  /// @param energy in whose coordinates K0 is diagonal @param first, count the rows
  /// @throws InputError if a coefficient is too large for T
  CubicForm(const QuarticEnergy& energy, int first, int count);

  [[nodiscard]] std::int64_t pairs() const { return std::int64_t{rank} * (rank + 1) / 2; }
  [[nodiscard]] std::int64_t monomials() const { return pairs() + pairs() * (rank + 2) / 3; }
  [[nodiscard]] int blocks() const { return (rows + block - 1) / block; }
};

}  // namespace quartic
