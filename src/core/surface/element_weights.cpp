#include "core/surface/element_weights.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/surface/nearest_in_triangle.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// How far outside the reference element a point of its faces may seem to be by round-off.
constexpr double reference_tolerance = 1e-8;

Vector3d vector(const Point3& x) {
  return Vector3d::Map(x.data());
}

bool in_reference_element(ElementType type, const Point3& xi) {
  constexpr double e = reference_tolerance;
  const bool simplex = xi[0] >= -e && xi[1] >= -e;
  switch (type) {
    case ElementType::tet4:
    case ElementType::tet10:
      return simplex && xi[2] >= -e && xi[0] + xi[1] + xi[2] <= 1 + e;
    case ElementType::wedge6:
    case ElementType::wedge15:
      return simplex && xi[0] + xi[1] <= 1 + e && std::abs(xi[2]) <= 1 + e;
    default:
      return std::abs(xi[0]) <= 1 + e && std::abs(xi[1]) <= 1 + e && std::abs(xi[2]) <= 1 + e;
  }
}

Point3 reference_middle(const ElementTable& table) {
  Point3 middle{};
  for (const Point3& corner : table.corners)
    for (std::size_t c = 0; c < 3; ++c) middle[c] += corner[c] / table.vertex_count;
  return middle;
}

// Newton's step from xi towards the origin; nothing where the element has no volume there.
std::optional<Vector3d> newton_step(const ElementTable& table, const RelativePositions& x, const Point3& xi) {
  double values[20], gradients[20][3];
  table.shape(xi, values);
  table.shape_gradient(xi, gradients);
  Vector3d position = Vector3d::Zero();
  Matrix3d jacobian = Matrix3d::Zero();
  for (std::size_t a = 0; a < static_cast<std::size_t>(table.vertex_count); ++a) {
    position += values[a] * vector(x[a]);
    jacobian += vector(x[a]) * Vector3d::Map(gradients[a]).transpose();
  }
  const double largest = jacobian.col(0).norm() * jacobian.col(1).norm() * jacobian.col(2).norm();
  if (!(std::abs(jacobian.determinant()) > 1e-14 * largest)) return std::nullopt;
  return -(jacobian.inverse() * position);
}

}  // namespace

std::vector<std::array<int, 3>> face_triangles(const ElementTable& table) {
  std::vector<std::array<int, 3>> triangles;
  for (const std::vector<int>& face : table.faces) {
    const std::size_t corners = is_quadratic(table.type) ? face.size() / 2 : face.size();
    // What lies inside is a polygon: of the corners, or, with those cut off, of the middles.
    std::vector<int> polygon(face.begin() + (is_quadratic(table.type) ? static_cast<std::ptrdiff_t>(corners) : 0),
                             face.end());
    if (is_quadratic(table.type))
      for (std::size_t i = 0; i < corners; ++i)
        triangles.push_back({polygon[(i + corners - 1) % corners], face[i], polygon[i]});
    for (std::size_t i = 2; i < polygon.size(); ++i) triangles.push_back({polygon[0], polygon[i - 1], polygon[i]});
  }
  return triangles;
}

std::optional<Point3> local_coordinates(const ElementTable& table, const RelativePositions& x) {
  constexpr int most_steps = 20;
  constexpr double longest_step = 2, farthest = 10;  // the reference elements are of size 1 or 2
  Point3 xi = reference_middle(table);
  for (int i = 0; i < most_steps; ++i) {
    auto step = newton_step(table, x, xi);
    if (!step) return std::nullopt;
    const double length = step->cwiseAbs().maxCoeff();
    if (!std::isfinite(length)) return std::nullopt;
    if (!table.affine && length > longest_step) *step *= longest_step / length;
    for (std::size_t c = 0; c < 3; ++c) xi[c] += (*step)[static_cast<Eigen::Index>(c)];
    if (table.affine || length < 1e-12) return in_reference_element(table.type, xi) ? std::optional(xi) : std::nullopt;
    if (std::max({std::abs(xi[0]), std::abs(xi[1]), std::abs(xi[2])}) > farthest) return std::nullopt;
  }
  return std::nullopt;
}

NearestPoint nearest_point(const ElementTable& table, std::span<const std::array<int, 3>> triangles,
                           const RelativePositions& x) {
  NearestPoint nearest{std::numeric_limits<double>::infinity(), {}};
  for (const auto& triangle : triangles) {
    std::array<std::size_t, 3> v{};
    for (std::size_t i = 0; i < 3; ++i) v[i] = static_cast<std::size_t>(triangle[i]);
    const Point3 share = nearest_in_triangle(vector(x[v[0]]), vector(x[v[1]]), vector(x[v[2]]));
    const Vector3d at = share[0] * vector(x[v[0]]) + share[1] * vector(x[v[1]]) + share[2] * vector(x[v[2]]);
    if (at.squaredNorm() >= nearest.squared_distance) continue;
    nearest = {at.squaredNorm(), {}};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t c = 0; c < 3; ++c) nearest.local[c] += share[i] * table.corners[v[i]][c];
  }
  return nearest;
}

void point_weights(const ElementTable& table, const RelativePositions& x, const Point3& local,
                   std::span<double> weights) {
  const auto count = static_cast<std::size_t>(table.vertex_count);
  for (std::size_t a = 0; a < count; ++a)
    if (x[a] == Point3{}) {  // exactly there
      std::fill_n(weights.begin(), count, 0.0);
      weights[a] = 1;
      return;
    }
  table.shape(local, weights.data());
  Vector3d mean = Vector3d::Zero();
  for (std::size_t a = 0; a < count; ++a) mean += vector(x[a]) / static_cast<double>(count);
  Matrix3d moment = Matrix3d::Zero();
  for (std::size_t a = 0; a < count; ++a) moment += (vector(x[a]) - mean) * (vector(x[a]) - mean).transpose();
  const Eigen::LDLT<Matrix3d> factor(moment);
  if (!(factor.vectorD().minCoeff() > 1e-24 * moment.trace())) return;  // flat: nothing can be made up for
  for (int round = 0; round < 2; ++round) {                             // the second mends round-off in thin elements
    Vector3d position = Vector3d::Zero();
    for (std::size_t a = 0; a < count; ++a) position += weights[a] * vector(x[a]);
    const Vector3d slope = factor.solve(-position);
    for (std::size_t a = 0; a < count; ++a) weights[a] += slope.dot(vector(x[a]) - mean);
  }
}

}  // namespace quartic
