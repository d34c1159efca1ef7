// Supports along directions: given ones, normals of the boundary, and of means.
#include <Eigen/Core>
#include <cmath>
#include <map>
#include <string>

#include "core/supports/boundary_areas.hpp"
#include "core/supports/vertex_set.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

constexpr double side_cosine = 0.866;  // of 30 degrees: faces that turn by more are different sides

void require_direction(const std::array<double, 3>& direction, const std::string& origin) {
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  if (!(length > 0) || !std::isfinite(length))
    throw InputError(origin + ": a direction needs three finite numbers that aren't all zero");
}

// The normals of the sides that meet at a vertex, each a sum over its faces by area.
void add_to_side(std::vector<Vector3d>& sides, const FaceCorner& corner) {
  for (Vector3d& side : sides)
    if (side.normalized().dot(corner.normal) > side_cosine) {
      side += corner.face_area * corner.normal;
      return;
    }
  sides.emplace_back(corner.face_area * corner.normal);
}

}  // namespace

std::vector<Constraint> hold_along(std::span<const std::int32_t> vertices, const std::array<double, 3>& direction,
                                   const std::string& origin) {
  require_direction(direction, origin);
  std::vector<Constraint> constraints;
  for (const std::int32_t v : vertices) constraints.push_back({{{v, direction}}, origin});
  return constraints;
}

std::vector<Constraint> hold_normals(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                     const std::string& origin) {
  std::map<std::int32_t, std::vector<Vector3d>> sides;
  for (const FaceCorner& corner : boundary_corners(mesh, vertices)) add_to_side(sides[corner.vertex], corner);
  std::vector<Constraint> constraints;
  for (const std::int32_t v : vertices) {
    const auto found = sides.find(v);
    if (found == sides.end())
      throw InputError(origin + ": vertex " + std::to_string(v) +
                       " is on no boundary face whose vertices are all in the set, so that it has no normal there");
    for (const Vector3d& side : found->second) {
      const Vector3d normal = side.normalized();
      constraints.push_back({{{v, {normal[0], normal[1], normal[2]}}}, origin});
    }
  }
  return constraints;
}

Constraint hold_mean(std::span<const std::int32_t> vertices, const std::array<double, 3>& direction,
                     const std::string& origin) {
  require_direction(direction, origin);
  if (vertices.empty()) throw InputError(origin + ": a mean needs vertices");
  Constraint mean{{}, origin};
  for (const std::int32_t v : distinct_vertices(vertices)) mean.terms.push_back({v, direction});
  return mean;
}

}  // namespace quartic
