#pragma once

#include "quartic/material.hpp"

namespace quartic {

/// What bridge and tower are made of.
inline constexpr Material rubber = {.youngs_modulus = 2e7, .poissons_ratio = 0.3, .density = 1000};

}  // namespace quartic
