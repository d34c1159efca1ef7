// The impulse of one contact while all others stay as they are.
#pragma once

#include <cmath>

namespace quartic {

/// h f_n of quartic/world.hpp at the step's end: of the gap d + h u, u the velocity along the normal, which is
/// `velocity` without the impulse, and grows by `response` per impulse:
///   p = h k A max(0, -(d + h u)) max(0, 1 - c u)        u = velocity + response p
/// @param stiffness k A @param response >= 0
[[nodiscard]] inline double normal_impulse(double stiffness, double dissipation, double h, double gap, double velocity,
                                           double response) {
  const double depth = -(gap + h * velocity), undamped = 1 - dissipation * velocity, scale = h * stiffness;
  if (!(depth > 0) || !(undamped > 0)) return 0;
  // p = scale (depth - h w p) (undamped - c w p): the lower root, where both factors are above 0.
  const double a = scale * h * dissipation * response * response;
  const double b = 1 + scale * response * (h * undamped + dissipation * depth), c = scale * depth * undamped;
  return 2 * c / (b + std::sqrt(b * b - 4 * a * c));
}

}  // namespace quartic
