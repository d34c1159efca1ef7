// The nearest minimum of a polynomial of degree four, from its slope at a few points.
#pragma once

#include <optional>

namespace quartic {

/// The smallest t > 0 at which the slope s(t) = s0 + c1 t + c2 t^2 + c3 t^3 becomes positive, given s(0), s'(0),
/// s(1/2) and s(1); nothing if there is none below 100 or the numbers aren't finite.
/// @param start s(0) < 0
[[nodiscard]] std::optional<double> nearest_minimum(double start, double curvature, double half, double full);

}  // namespace quartic
