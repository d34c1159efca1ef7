// The smooth patches of a surface, and nearest points on them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/surface/box_tree.hpp"
#include "quartic/surface.hpp"

namespace quartic {

/// Triangles belong to one patch if they meet in an edge at which the surface turns by no more than 25 degrees. Every
/// query asks for triangles whose outward normal is within 60 degrees of a direction, so that the other side of a thin
/// wall isn't seen. Triangles without area are in no patch.
class SurfacePatches {
 public:
  /// @param surface with sound arrays and one triangle or more; kept by reference @param inside_out its triangles are
  /// wound inwards
  SurfacePatches(const TriangleMesh& surface, bool inside_out);

  /// The patches no farther from the point than `reach`, ascending.
  [[nodiscard]] std::vector<std::int32_t> around(const Point3& x, const Eigen::Vector3d& direction, double reach) const;
  /// The nearest point of a patch, if there is one no farther than `reach`.
  [[nodiscard]] std::optional<Point3> nearest(const Point3& x, std::int32_t patch, const Eigen::Vector3d& direction,
                                              double reach) const;

 private:
  [[nodiscard]] bool faces(std::size_t triangle, const Eigen::Vector3d& direction) const;
  /// From a point to the nearest one of a triangle.
  [[nodiscard]] Eigen::Vector3d to_triangle(const Point3& x, std::size_t triangle) const;

  const TriangleMesh& surface_;
  BoxTree tree_;
  std::vector<Eigen::Vector3d> normals_;  // outwards, of length 1, or 0 of a triangle without area
  std::vector<std::int32_t> patches_;     // of each triangle: the lowest one of its patch
};

}  // namespace quartic
