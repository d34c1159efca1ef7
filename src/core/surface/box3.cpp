#include "core/surface/box3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic {

Box3 Box3::of_vertices(std::span<const double> positions, std::span<const std::int32_t> vertices) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box3 box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const std::int32_t v : vertices)
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = positions[3 * static_cast<std::size_t>(v) + c];
      box.low[c] = std::min(box.low[c], x);
      box.high[c] = std::max(box.high[c], x);
    }
  return box;
}

void Box3::include(const Box3& other) {
  for (std::size_t c = 0; c < 3; ++c) {
    low[c] = std::min(low[c], other.low[c]);
    high[c] = std::max(high[c], other.high[c]);
  }
}

double Box3::squared_distance(const Point3& x) const {
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double beyond = std::max({low[c] - x[c], x[c] - high[c], 0.0});
    sum += beyond * beyond;
  }
  return sum;
}

double Box3::diagonal() const {
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

}  // namespace quartic
