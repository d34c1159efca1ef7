// Boxes with sides along the axes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace quartic {

using Point3 = std::array<double, 3>;

struct Box3 {
  Point3 low{}, high{};

  /// The smallest around some vertices, or one from +infinity to -infinity, which holds nothing. @param positions shape
  /// (n, 3) @param vertices in range
  [[nodiscard]] static Box3 of_vertices(std::span<const double> positions, std::span<const std::int32_t> vertices);

  void include(const Box3& other);
  [[nodiscard]] bool holds(const Point3& x) const {
    return x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] && x[2] >= low[2] && x[2] <= high[2];
  }
  [[nodiscard]] double squared_distance(const Point3& x) const;
  [[nodiscard]] double diagonal() const;
};

}  // namespace quartic
