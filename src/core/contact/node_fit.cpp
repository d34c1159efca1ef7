#include "core/contact/node_fit.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/contact/enclosing_ball.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

Eigen::Map<const Matrix3Xd> positions_of(const ContactPoints& points, const BoundNode& node) {
  return {points.positions.data() + 3 * std::ptrdiff_t{node.first_point}, 3, node.points};
}

// U_ij of the node's points for one j.
Eigen::Map<const Matrix3Xd> field_of(const ContactPoints& points, const BoundNode& node, std::int64_t j) {
  return {points.basis.col(j).data() + 3 * std::ptrdiff_t{node.first_point}, 3, node.points};
}

// The inverse where the points extend: across a plane or a line nothing is known of the field.
Matrix3d pseudo_inverse(const Matrix3d& moments) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(moments);
  const double least = 1e-10 * eigen.eigenvalues().maxCoeff();
  Vector3d inverse = Vector3d::Zero();
  for (int i = 0; i < 3; ++i)
    if (const double value = eigen.eigenvalues()[i]; value > least) inverse[i] = 1 / value;
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

NodeFit fit_node(const ContactPoints& points, const BoundNode& node) {
  const auto x = positions_of(points, node);
  NodeFit fit;
  fit.centre = enclosing_ball(x).centre;
  const Vector3d mean = x.rowwise().mean();
  const Matrix3Xd from_mean = x.colwise() - mean;
  const Matrix3d inverse = pseudo_inverse(from_mean * from_mean.transpose());
  fit.translations.resize(3, points.basis.cols);
  for (std::int64_t j = 0; j < points.basis.cols; ++j) {
    const auto field = field_of(points, node, j);
    fit.affine.emplace_back(field * from_mean.transpose() * inverse);
    fit.translations.col(j) = field.rowwise().mean() + fit.affine.back() * (fit.centre - mean);
  }
  return fit;
}

NodeExtent node_extent(const ContactPoints& points, const BoundNode& node, const NodeFit& fit) {
  const Matrix3Xd from_centre = positions_of(points, node).colwise() - fit.centre;
  NodeExtent extent{.radius = from_centre.colwise().norm().maxCoeff(), .residuals = {}};
  for (std::int64_t j = 0; j < points.basis.cols; ++j) {
    const auto n = static_cast<std::size_t>(j);
    const Matrix3Xd rest =
        (field_of(points, node, j) - fit.affine[n] * from_centre).colwise() - fit.translations.col(j);
    extent.residuals.push_back(rest.colwise().norm().maxCoeff());
  }
  return extent;
}

}  // namespace quartic
