#include "core/surface/surface_patches.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "core/base/disjoint_sets.hpp"
#include "core/surface/nearest_in_triangle.hpp"
#include "core/surface/surface_arrays.hpp"
#include "core/surface/surface_shells.hpp"

namespace quartic {
namespace {

constexpr double smooth_cosine = 0.9063;  // of 25 degrees: 15 around and more are round
constexpr double facing_cosine = 0.5;     // of 60 degrees: those of a sphere and of a cube in it differ by 55

std::vector<Box3> boxes_of(const TriangleMesh& surface) {
  std::vector<Box3> boxes;
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
    boxes.push_back(Box3::of_vertices(surface.vertices, {surface.triangles.data() + t, 3}));
  return boxes;
}

Eigen::Vector3d corner(const TriangleMesh& surface, std::size_t triangle, std::size_t i) {
  return Eigen::Map<const Eigen::Vector3d>(surface.vertices.data() +
                                           3 * static_cast<std::size_t>(surface.triangles[3 * triangle + i]));
}

std::vector<Eigen::Vector3d> normals_of(const TriangleMesh& surface, bool inside_out) {
  std::vector<Eigen::Vector3d> normals;
  for (std::size_t t = 0; 3 * t < surface.triangles.size(); ++t) {
    const Eigen::Vector3d a = corner(surface, t, 0), ab = corner(surface, t, 1) - a, ac = corner(surface, t, 2) - a;
    const Eigen::Vector3d normal = ab.cross(ac).stableNormalized();
    normals.emplace_back(inside_out ? Eigen::Vector3d(-normal) : normal);
  }
  return normals;
}

// Vertices at one position count as one.
std::vector<std::int32_t> patches_of(const TriangleMesh& surface, const std::vector<Eigen::Vector3d>& normals) {
  const std::vector<TriangleSide> sides = sides_by_edge(joined_triangles(surface));
  const auto normal = [&](std::int32_t triangle) { return normals[static_cast<std::size_t>(triangle)]; };
  DisjointSets sets(normals.size());
  for (std::size_t first = 0; first < sides.size(); ++first)
    for (std::size_t other = first + 1; other < sides.size() && sides[other].ends == sides[first].ends; ++other)
      if (normal(sides[first].triangle).dot(normal(sides[other].triangle)) >= smooth_cosine)
        sets.join(sides[first].triangle, sides[other].triangle);
  std::vector<std::int32_t> patches(normals.size());
  for (std::size_t t = 0; t < patches.size(); ++t) patches[t] = sets.root(static_cast<std::int32_t>(t));
  return patches;
}

}  // namespace

SurfacePatches::SurfacePatches(const TriangleMesh& surface, bool inside_out)
    : surface_(surface),
      tree_(boxes_of(surface)),
      normals_(normals_of(surface, inside_out)),
      patches_(patches_of(surface, normals_)) {}

bool SurfacePatches::faces(std::size_t triangle, const Eigen::Vector3d& direction) const {
  return normals_[triangle].dot(direction) > facing_cosine * direction.norm();
}

Eigen::Vector3d SurfacePatches::to_triangle(const Point3& x, std::size_t triangle) const {
  const Eigen::Vector3d from(x[0], x[1], x[2]);
  std::array<Eigen::Vector3d, 3> corners;
  for (std::size_t i = 0; i < 3; ++i) corners[i] = corner(surface_, triangle, i) - from;
  const Point3 share = nearest_in_triangle(corners[0], corners[1], corners[2]);
  return share[0] * corners[0] + share[1] * corners[1] + share[2] * corners[2];
}

std::vector<std::int32_t> SurfacePatches::around(const Point3& x, const Eigen::Vector3d& direction,
                                                 double reach) const {
  std::vector<std::int32_t> found;
  tree_.for_each_near(x, [&](std::size_t triangle) {
    if (faces(triangle, direction) && to_triangle(x, triangle).norm() <= reach) found.push_back(patches_[triangle]);
    return reach * reach;  // nothing farther is asked for
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<Point3> SurfacePatches::nearest(const Point3& x, std::int32_t patch, const Eigen::Vector3d& direction,
                                              double reach) const {
  std::optional<Point3> found;
  double least = reach * reach;
  tree_.for_each_near(x, [&](std::size_t triangle) {
    if (patches_[triangle] != patch || !faces(triangle, direction)) return least;
    const Eigen::Vector3d way = to_triangle(x, triangle);
    if (way.squaredNorm() < least || (!found && way.squaredNorm() <= least)) {
      least = way.squaredNorm();
      found = {x[0] + way[0], x[1] + way[1], x[2] + way[2]};
    }
    return least;
  });
  return found;
}

}  // namespace quartic
