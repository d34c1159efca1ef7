#include "core/contact/enclosing_ball.hpp"

#include <limits>

namespace quartic {
namespace {

double farthest(const Eigen::Matrix3Xd& points, const Eigen::Vector3d& from, Eigen::Index& which) {
  double square = -1;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const double found = (points.col(i) - from).squaredNorm();
    if (found > square) square = found, which = i;
  }
  return std::sqrt(square);
}

}  // namespace

Ball enclosing_ball(const Eigen::Matrix3Xd& points) {
  constexpr int steps = 200;
  Eigen::Vector3d centre = points.rowwise().mean();
  Ball best = {centre, std::numeric_limits<double>::infinity()};
  for (int k = 2; k < steps; ++k) {
    Eigen::Index which = 0;
    const double radius = farthest(points, centre, which);
    if (radius < best.radius) best = {centre, radius};
    centre += (points.col(which) - centre) / k;
  }
  return best;
}

}  // namespace quartic
