// Coefficients and kernels for a tile of bodies whose forces come from strains: y = L m and R = (dm/dq)^T L^T y, beside
// the stiffness from the quartic's own coefficients (StrainForm, quartic_energy.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "core/base/aligned_array.hpp"
#include "cpu/energy/tile_kernels.hpp"
#include "quartic/quartic_energy.hpp"

namespace quartic::cpu {

/// Rows of L, or of L^T, whose zeros before or behind the triangle are left out together.
inline constexpr std::int64_t strain_group = std::int64_t{2} * row_block;

/// L and L^T in T, groups of rows from the first to the last column in which any of them has an entry; within a group
/// as PackedCoefficients' blocks.
template <class T>
struct StrainCoefficients : PackedCoefficients<T> {
  std::int64_t strain_rows = 0;  // p, up to a whole group
  AlignedArray<T> factor, transposed;

  /// @throws InputError if a coefficient is too large for T
  StrainCoefficients(const QuarticEnergy& energy, std::span<const EnclosedVolume> volumes, const StrainForm& form);

  /// Monomials, strains y, L^T y and the force.
  [[nodiscard]] std::int64_t workspace_rows() const { return this->monomials + 2 * strain_rows + this->rank; }
  /// The group of rows of L that begins with `row` has columns from `row` to the last.
  [[nodiscard]] std::int64_t factor_columns(std::int64_t row) const { return strain_count(this->rank) - row; }
  /// The group of rows of L^T that begins with `row` has this many columns, from the first on.
  [[nodiscard]] std::int64_t transposed_columns(std::int64_t row) const {
    const std::int64_t strains = strain_count(this->rank);
    return row + strain_group < strains ? row + strain_group : strains;
  }

  /// Those for this machine's instruction set; `evaluate` does what PackedCoefficients' does.
  [[nodiscard]] static const EvaluatorKernels<T, StrainCoefficients>& kernels();
};

}  // namespace quartic::cpu
