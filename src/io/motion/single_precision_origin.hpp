// An origin from which single precision can hold a surface. Inline, since the viewer, a library of its own, needs it,
// too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "quartic/surface_embedding.hpp"

namespace quartic::io {

/// The box around all triangles; vertices of none may lie anywhere.
struct TriangleBox {
  std::array<double, 3> low, high;

  explicit TriangleBox(const SurfaceEmbedding& surface) {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const std::int32_t v : surface.triangles)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = surface.vertices[3 * static_cast<std::size_t>(v) + axis];
        low[axis] = std::min(low[axis], x);
        high[axis] = std::max(high[axis], x);
      }
  }
  [[nodiscard]] double middle(std::size_t axis) const { return low[axis] + (high[axis] - low[axis]) / 2; }
  [[nodiscard]] double size() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }
};

/// Where single precision should have its origin [m] to hold what is of that size around a place: zero, unless that is
/// more than eight times the size away, which costs three binary digits; then a point less than the size from there.
/// That is a multiple of a power of two, so that positions minus the origin are exact along axes on which they are far
/// away.
[[nodiscard]] inline std::array<double, 3> single_precision_origin(const std::array<double, 3>& middle, double size) {
  const double distance = std::max({std::abs(middle[0]), std::abs(middle[1]), std::abs(middle[2])});
  constexpr double far_away = 8;  // times the size
  std::array<double, 3> origin{};
  if (!(size > 0) || !std::isfinite(distance) || !(distance > far_away * size)) return origin;
  const double step = std::ldexp(1.0, std::ilogb(size));
  for (std::size_t axis = 0; axis < 3; ++axis) origin[axis] = step * std::round(middle[axis] / step);
  return origin;
}
/// The same for a surface at rest.
[[nodiscard]] inline std::array<double, 3> single_precision_origin(const SurfaceEmbedding& surface) {
  const TriangleBox box(surface);
  return single_precision_origin({box.middle(0), box.middle(1), box.middle(2)}, box.size());
}

/// From a position to the next number of single precision.
[[nodiscard]] inline double single_precision_spacing(double position) {
  const auto single = static_cast<float>(position);
  return static_cast<double>(std::nextafter(single, std::numeric_limits<float>::infinity()) - single);
}

}  // namespace quartic::io
