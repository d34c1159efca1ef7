// Distances of solids, each formula once: for the host and for kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/contact/grid_view.hpp"
#include "core/contact/mesh_view.hpp"
#include "core/contact/nearest_on_solid.hpp"
#include "core/frame/vector3.hpp"

namespace quartic {

/// @param normal of unit length
[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_plane(const frame::Vector3<double>& normal, double offset,
                                                                const frame::Vector3<double>& x) {
  return {dot(normal, x) - offset, normal};
}

[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_sphere(double radius, const frame::Vector3<double>& x) {
  const double length = norm(x);
  return {length - radius, unit_vector(x, length, {0, 0, 1})};
}

/// Along z. @param half of the cylinder's length
[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_capsule(double radius, double half,
                                                                  const frame::Vector3<double>& x) {
  const double along = x.z < -half ? -half : x.z > half ? half : x.z;
  const frame::Vector3<double> from_axis = {x.x, x.y, x.z - along};
  const double length = norm(from_axis);
  return {length - radius, unit_vector(from_axis, length, {1, 0, 0})};
}

/// @param half of its size
[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_box(const frame::Vector3<double>& half,
                                                              const frame::Vector3<double>& x) {
  const frame::Vector3<double> beyond = {std::abs(x.x) - half.x, std::abs(x.y) - half.y, std::abs(x.z) - half.z};
  const auto above_zero = [](double value) { return value < 0 ? 0.0 : value; };  // not a number stays so
  const frame::Vector3<double> out = {above_zero(beyond.x), above_zero(beyond.y), above_zero(beyond.z)};
  const double length = norm(out);
  if (!(length <= 0))  // not a number as well
    return {
        length,
        {std::copysign(out.x / length, x.x), std::copysign(out.y / length, x.y), std::copysign(out.z / length, x.z)}};
  // Inside: the nearest face.
  if (beyond.x >= beyond.y && beyond.x >= beyond.z) return {beyond.x, {std::copysign(1.0, x.x), 0, 0}};
  if (beyond.y >= beyond.z) return {beyond.y, {0, std::copysign(1.0, x.y), 0}};
  return {beyond.z, {0, 0, std::copysign(1.0, x.z)}};
}

/// Whether a point may have come from a solid's other side: it has moved farther along the normal than from the deepest
/// place to where it is.
/// @param way along the normal at the step's end, in the step @param depth of the solid
[[nodiscard]] QUARTIC_HD inline bool went_through(double gap, double way, double depth) {
  return way > depth + (gap > 0 ? gap : 0.0);
}

enum class SolidKind : std::int32_t { plane, sphere, capsule, box, grid, mesh };

/// A solid as kernels see it. Pointers are the host's in what `Shape::Solid::view` gives.
struct SolidView {
  SolidKind kind = SolidKind::plane;
  frame::Vector3<double> vector = {};  // a plane's normal, a box's half size
  double radius = 0, length = 0;       // of sphere and capsule; half the capsule's length, a plane's offset
  double slope = 1, reach = 0;         // Shape::Solid::slope, reach
  double depth = std::numeric_limits<double>::infinity();  // Shape::Solid::depth
  GridView grid = {};
  MeshView mesh = {};

  [[nodiscard]] QUARTIC_HD NearestOnSolid at(const frame::Vector3<double>& x) const {
    switch (kind) {
      case SolidKind::plane:
        return nearest_on_plane(vector, length, x);
      case SolidKind::sphere:
        return nearest_on_sphere(radius, x);
      case SolidKind::capsule:
        return nearest_on_capsule(radius, length, x);
      case SolidKind::box:
        return nearest_on_box(vector, x);
      case SolidKind::grid:
        return nearest_on_grid(grid, x);
      default:
        return nearest_on_mesh(mesh, x);
    }
  }
};

}  // namespace quartic
