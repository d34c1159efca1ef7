#include "core/unreduced/line_minimum.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace quartic {

std::optional<double> nearest_minimum(double start, double curvature, double half, double full) {
  const double a = full - start - curvature, b = half - start - curvature / 2;  // c2 + c3 and c2/4 + c3/8
  const double c2 = 8 * b - a, c3 = 2 * a - 8 * b;
  const auto slope = [&](double t) { return start + t * (curvature + t * (c2 + t * c3)); };
  if (!std::isfinite(slope(1)) || !(start < 0)) return {};

  // The slope is monotone between its own stationary points, so that a sign change there is the only one.
  constexpr double farthest = 100;
  std::array<double, 4> points = {0, farthest, farthest, farthest};
  const double root = c2 * c2 - 3 * c3 * curvature;
  if (root >= 0) {
    const double sum = -(c2 + std::copysign(std::sqrt(root), c2));  // without cancellation
    const auto inside = [](double t) { return t > 0 && t < farthest ? t : farthest; };
    if (c3 != 0) points[1] = inside(sum / (3 * c3));
    if (sum != 0) points[2] = inside(curvature / sum);
    std::sort(points.begin(), points.end());
  }
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    double low = points[i], high = points[i + 1];
    if (!(slope(high) > 0)) continue;
    for (int halving = 0; halving < 200 && high - low > 1e-15 * high; ++halving) {
      const double middle = (low + high) / 2;
      (slope(middle) > 0 ? high : low) = middle;
    }
    return low > 0 ? low : high;
  }
  return {};
}

}  // namespace quartic
