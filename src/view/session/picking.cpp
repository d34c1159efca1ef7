#include "view/session/picking.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic::view {
namespace {

// Distance along the ray, by Moeller and Trumbore (1997): solves origin + d direction = a + u e1 + v e2 by Cramer's
// rule.
std::optional<double> distance_to(const std::array<Eigen::Vector3d, 3>& corners, const Ray& ray) {
  const Eigen::Vector3d e1 = corners[1] - corners[0], e2 = corners[2] - corners[0];
  const Eigen::Vector3d across = ray.direction.cross(e2);
  const double determinant = e1.dot(across);
  if (determinant == 0) return std::nullopt;
  const Eigen::Vector3d from = ray.origin - corners[0];
  const double u = from.dot(across) / determinant;
  if (!(u >= 0 && u <= 1)) return std::nullopt;
  const Eigen::Vector3d along = from.cross(e1);
  const double v = ray.direction.dot(along) / determinant;
  if (!(v >= 0 && u + v <= 1)) return std::nullopt;
  const double distance = e2.dot(along) / determinant;
  if (!(distance > 0)) return std::nullopt;
  return distance;
}

}  // namespace

std::optional<Hit> pick(const ViewSurface& surface, std::span<const float> positions, const Ray& ray) {
  const Eigen::Map<const Eigen::Matrix3Xf> columns(positions.data(), 3, surface.vertex_count());
  std::optional<Hit> first;
  for (std::int64_t t = 0; t < surface.triangle_count(); ++t) {
    const std::uint32_t* triangle = surface.triangles.data() + 3 * t;
    std::array<Eigen::Vector3d, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) corners[k] = columns.col(triangle[k]).cast<double>();
    const auto distance = distance_to(corners, ray);
    if (!distance || (first && *distance >= first->distance)) continue;
    const Eigen::Vector3d point = ray.origin + *distance * ray.direction;
    std::size_t nearest = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if ((corners[k] - point).squaredNorm() < (corners[nearest] - point).squaredNorm()) nearest = k;
    first = Hit{t, triangle[nearest], *distance};
  }
  return first;
}

bool meets(const Box& box, const Ray& ray, double margin) {
  double enter = 0, leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double low = box.low[axis] - margin - ray.origin[axis], high = box.high[axis] + margin - ray.origin[axis];
    if (ray.direction[axis] == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    const auto [first, last] = std::minmax({low / ray.direction[axis], high / ray.direction[axis]});
    enter = std::max(enter, first);
    leave = std::min(leave, last);
  }
  return enter <= leave;
}

Eigen::Vector3d on_facing_plane(const Camera& camera, const Ray& ray, const Eigen::Vector3d& point) {
  const Eigen::Vector3d normal = camera.axes().row(2);
  const double slope = normal.dot(ray.direction);
  if (slope == 0) return point;
  return ray.origin + normal.dot(point - ray.origin) / slope * ray.direction;
}

}  // namespace quartic::view
