#include "core/surface/nearest_in_triangle.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>

namespace quartic {

using Eigen::Vector3d;

Point3 nearest_in_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d normal = (b - a).cross(c - a);
  const double square = normal.squaredNorm();
  if (square > 0) {
    const double wb = -a.cross(c - a).dot(normal) / square, wc = -(b - a).cross(a).dot(normal) / square;
    if (wb >= 0 && wc >= 0 && wb + wc <= 1) return {1 - wb - wc, wb, wc};
  }
  const std::array<Vector3d, 3> corners = {a, b, c};
  Point3 best = {1, 0, 0};
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d &from = corners[i], edge = corners[(i + 1) % 3] - from;
    const double length = edge.squaredNorm();
    const double t = length > 0 ? std::clamp(-from.dot(edge) / length, 0.0, 1.0) : 0;
    const double distance = (from + t * edge).squaredNorm();
    if (distance >= nearest) continue;
    nearest = distance;
    best = {};
    best[i] = 1 - t;
    best[(i + 1) % 3] = t;
  }
  return best;
}

}  // namespace quartic
