// A small ball around points.
#pragma once

#include <Eigen/Core>

namespace quartic {

struct Ball {
  Eigen::Vector3d centre;
  double radius;
};

/// A ball that holds all points, its radius within about a percent of the smallest one's (Badoiu & Clarkson 2003: a
/// step towards the farthest point, 1/k of the way). @param points columns, at least one
[[nodiscard]] Ball enclosing_ball(const Eigen::Matrix3Xd& points);

}  // namespace quartic
