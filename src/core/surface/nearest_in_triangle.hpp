// The point of a triangle that is nearest to the origin.
#pragma once

#include <Eigen/Core>

#include "core/surface/box3.hpp"

namespace quartic {

/// Its barycentric coordinates. Of a triangle without area, the nearest point of its edges.
[[nodiscard]] Point3 nearest_in_triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

}  // namespace quartic
