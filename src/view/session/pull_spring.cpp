#include "view/session/pull_spring.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace quartic::view {

PullSpring pull_spring(const Eigen::MatrixXd& rows, const Matrix& stiffness, double mobility, double step) {
  const auto rank = stiffness.rows;
  // The acceleration [m/s^2] that a force of 1 N makes in an implicit step, which stiff modes hardly follow.
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(rank, rank) + step * step / 4 * stiffness.map();
  const double all_mobility = mobility + (rows * system.ldlt().solve(rows.transpose())).trace();
  if (!(all_mobility > 0)) return {};                                                             // a fixed vertex
  const double compliance = (rows * stiffness.map().ldlt().solve(rows.transpose())).trace() / 3;  // [m/N], mean
  PullSpring spring;
  // The spring's force is explicit: half a radian per step keeps far from where that gets unstable.
  spring.stiffness = 0.25 / (all_mobility * step * step);
  if (std::isfinite(compliance) && compliance > 0) spring.stiffness = std::min(spring.stiffness, 1 / compliance);
  if (mobility > 0) {
    constexpr double rate = 20;        // [1/s] at which a flying body comes near
    const double mass = 3 / mobility;  // that the vertex has in the mean of all directions [kg]
    spring.stiffness = std::min(spring.stiffness, rate * rate * mass);
    // Critical, so that it doesn't overshoot; explicit, too.
    spring.damping = std::min(2 * std::sqrt(spring.stiffness * mass), 0.25 / (all_mobility * step));
  }
  return spring;
}

double rigid_mobility(const FrameMoments& frame, const Eigen::Vector3d& point) {
  const Eigen::Matrix3d moment = frame.moment0.map();
  const Eigen::Matrix3d inertia = moment.trace() * Eigen::Matrix3d::Identity() - moment;
  Eigen::Matrix3d lever;  // lever x = point x x
  lever << 0, -point.z(), point.y(), point.z(), 0, -point.x(), -point.y(), point.x(), 0;
  return 3 / frame.mass + (lever * inertia.ldlt().solve(lever.transpose())).trace();
}

}  // namespace quartic::view
