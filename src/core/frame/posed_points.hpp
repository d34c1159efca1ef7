// Many points of a body that has a pose.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/frame/pose.hpp"

namespace quartic::frame {

/// Takes points x of the mesh [m] to the world, c + R (x - centre), in place.
/// @param points shape (n, 3)
/// @param centre where the pose's frame has its origin in the mesh, a mass centre [m]
inline void move_points(const Pose<double>& pose, const std::array<double, 3>& centre, std::span<double> points) {
  const Vector3<double> origin = {centre[0], centre[1], centre[2]};
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const Vector3<double> x = apply(pose, Vector3<double>{points[i], points[i + 1], points[i + 2]} - origin);
    points[i] = x.x, points[i + 1] = x.y, points[i + 2] = x.z;
  }
}

/// The rotation alone, of vectors. @param vectors shape (n, 3)
inline void turn_vectors(const Quaternion<double>& rotation, std::span<double> vectors) {
  move_points({{}, rotation}, {}, vectors);
}

}  // namespace quartic::frame
