// The numbers of one node of a bound tree, and what its points make of them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "quartic/bound_tree.hpp"

namespace quartic {

/// Where a node is at rest, and how it moves with each field.
struct NodeFit {
  Eigen::Vector3d centre;
  Eigen::Matrix3Xd translations;        // a_j, shape (3, r)
  std::vector<Eigen::Matrix3d> affine;  // A_j
};

/// Least R and residuals that hold the points, as computed: the round-off of that is in the slack of spheres.
struct NodeExtent {
  double radius = 0;
  std::vector<double> residuals;
};

/// Least squares; directions in which the points don't extend are left alone.
[[nodiscard]] NodeFit fit_node(const ContactPoints& points, const BoundNode& node);
[[nodiscard]] NodeExtent node_extent(const ContactPoints& points, const BoundNode& node, const NodeFit& fit);

}  // namespace quartic
