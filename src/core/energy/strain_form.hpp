// The layout of StrainForm, and its checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// Where L_(row, column), row <= column, is in `factor`; `strains` rows in all.
[[nodiscard]] constexpr std::size_t strain_entry(std::int64_t row, std::int64_t column, std::int64_t strains) {
  return static_cast<std::size_t>(row * (2 * strains - row - 1) / 2 + column);
}

/// Checks rank, size and that all numbers are finite. @throws InputError that says which of these fails
void check(const StrainForm& form);

/// Checks that `form` is the same energy as `energy`: the same rank, and the same value at a point. @throws InputError
void check_strain_form(const QuarticEnergy& energy, const StrainForm& form);

/// J^T J with J = dy/dq of the strains y = L m at q, shape (r, r). @throws InputError as `evaluate`
[[nodiscard]] Matrix products_of_derivatives(const StrainForm& form, std::span<const double> q);

}  // namespace quartic
