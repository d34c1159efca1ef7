// Vertices as they are shaded: smooth where the surface is, split where it has an edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/session/view_surface.hpp"

namespace quartic::view {

/// Where the triangles around a vertex meet at less than the crease angle, they share one drawn vertex, whose normal is
/// the mean of theirs; across an edge there are two. Which do is settled at rest, normals are computed anew from
/// deformed positions.
struct ShadingCorners {
  std::vector<std::uint32_t> corners;   ///< drawn vertex of each corner of each triangle, shape (t, 3)
  std::vector<std::uint32_t> vertices;  ///< surface vertex of each drawn one, shape (d)
  std::vector<std::uint32_t> offsets;   ///< where a drawn vertex' triangles begin in `incident`, shape (d + 1)
  std::vector<std::uint32_t> incident;  ///< triangles, shape (3t)

  [[nodiscard]] std::int64_t drawn_count() const { return std::ssize(vertices); }
};

/// @param crease_angle [degrees] between normals; 180 smooths everything, 0 nothing but what is flat
[[nodiscard]] ShadingCorners shading_corners(const ViewSurface& surface, double crease_angle);

/// Unit normals of drawn vertices, the sum of their triangles' normals times areas; zero where that vanishes. What the
/// vertex shader computes, in double.
/// @param positions of surface vertices, shape (s, 3)
/// @return shape (d, 3)
[[nodiscard]] std::vector<double> corner_normals(const ShadingCorners& corners, const ViewSurface& surface,
                                                 std::span<const float> positions);

}  // namespace quartic::view
