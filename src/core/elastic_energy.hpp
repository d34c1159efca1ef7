// The elastic energy alone, straight from the distinct coefficients.
#pragma once

#include <span>

#include "quartic/energy.hpp"

namespace quartic {

/// V = 1/24 S_abcd x_a x_b x_c x_d, one multiplication and addition per distinct coefficient, in a fixed order. An
/// index quadruple with counts n_1, n_2, ... of equal indices stands for 24 / (n_1! n_2! ...) terms of the full sum.
/// @param x (1, q), shape (r + 1)
[[nodiscard]] double elastic_energy(const QuarticEnergy& energy, std::span<const double> x);

}  // namespace quartic
