// Vectors in space as arrays, positions of vertices among them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "quartic/mesh.hpp"

namespace quartic {

[[nodiscard]] inline double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

[[nodiscard]] inline std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

[[nodiscard]] inline std::array<double, 3> difference(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

[[nodiscard]] inline double length(const std::array<double, 3>& a) {
  return std::sqrt(dot(a, a));
}

[[nodiscard]] inline std::array<double, 3> position(const VolumeMesh& mesh, std::int32_t vertex) {
  const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(vertex);
  return {x[0], x[1], x[2]};
}

/// Of the vertices' positions along a direction of unit length [m].
template <class Vertices>
[[nodiscard]] double extent_along(const VolumeMesh& mesh, const Vertices& vertices,
                                  const std::array<double, 3>& direction) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::int32_t v : vertices) {
    const double along = dot(position(mesh, v), direction);
    low = std::min(low, along);
    high = std::max(high, along);
  }
  return high - low;
}

}  // namespace quartic
