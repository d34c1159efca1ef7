// Materials of VegaFEM's files.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/material.hpp"

namespace quartic::io {

/// MOONEYRIVLIN: density, mu01, mu10 and v1, with the energy v1 (J - 1)^2 of the volume; nothing for numbers that no
/// material has. Only the distortion's part differs from VegaFEM's, and not at rest.
[[nodiscard]] inline std::optional<Material> vega_mooney_rivlin(const std::vector<double>& numbers,
                                                                const std::string& where) {
  try {
    return mooney_rivlin_material(numbers[2], numbers[1], 2 * numbers[3], numbers[0], where);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The numbers that vega_mooney_rivlin takes for a material of the law mooney_rivlin.
[[nodiscard]] inline std::array<double, 4> vega_mooney_rivlin_numbers(const Material& material) {
  const double mu = lame_mu(material), bulk_modulus = lame_lambda(material) + 2 * mu / 3;
  return {material.density, mu / 2 * material.mooney_share, mu / 2 * (1 - material.mooney_share), bulk_modulus / 2};
}

/// What is said of such a material, and of one that can't be used.
inline constexpr const char* vega_mooney_rivlin_note =
    " is of kind MOONEYRIVLIN; it becomes quartic's law mooney-rivlin, which withstands inversion and is the same at "
    "rest";
inline constexpr const char* vega_usable_kinds =
    ", but quartic takes ENU, and MOONEYRIVLIN with mu01 and mu10 of at least 0 and a v1 that keeps Poisson's ratio "
    "above -1";

}  // namespace quartic::io
