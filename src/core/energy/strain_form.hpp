// The layout of StrainForm, and its checks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quartic/quartic_energy.hpp"

namespace quartic {

/// Where L_(row, column), row <= column, is in `factor`; `strains` rows in all.
[[nodiscard]] constexpr std::size_t strain_entry(std::int64_t row, std::int64_t column, std::int64_t strains) {
  return static_cast<std::size_t>(row * (2 * strains - row - 1) / 2 + column);
}

/// Checks rank, size and that all numbers are finite. @throws InputError that says which of these fails
void check(const StrainForm& form);

/// Checks that `form` is the same energy as `energy`: the same rank, and the same value at a point. @throws InputError
void check_strain_form(const QuarticEnergy& energy, const StrainForm& form);

}  // namespace quartic
