#pragma once

#include "quartic/material.hpp"

namespace quartic::test {

inline constexpr Material soft_matter = {.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000};

}  // namespace quartic::test
