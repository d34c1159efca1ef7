// What the mouse pulls a vertex with.
#pragma once

#include <Eigen/Core>

#include "quartic/frame_moments.hpp"
#include "quartic/matrix.hpp"

namespace quartic::view {

/// A spring from the vertex to the mouse; of a flying body also a damper on the vertex, without which the body would
/// swing around the mouse for ever.
struct PullSpring {
  double stiffness = 0;  ///< [N/m]; 0 at a fixed vertex
  double damping = 0;    ///< [N s/m]
};

/// About as stiff as the body at that vertex in the mean of all directions, so that the vertex goes half the way, and a
/// flying body follows within a quarter of a second; but never so stiff that a step of this length couldn't follow.
/// @param rows of the basis, shape (3, r)
/// @param stiffness of the body at rest, shape (r, r)
/// @param mobility `rigid_mobility` of a flying body, else 0 [1/kg]
/// @param step length of a step [s]
[[nodiscard]] PullSpring pull_spring(const Eigen::MatrixXd& rows, const Matrix& stiffness, double mobility,
                                     double step);

/// The accelerations that forces of 1 N along x, y and z on a point give it if the body stays rigid, each in its own
/// direction, and their sum [1/kg]: 3/m + tr([y] J^-1 [y]^T).
/// @param point at rest, about the mass centre [m]
[[nodiscard]] double rigid_mobility(const FrameMoments& frame, const Eigen::Vector3d& point);

}  // namespace quartic::view
