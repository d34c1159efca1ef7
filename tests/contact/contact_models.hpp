// Bodies that tests of contacts are made with.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>

#include "quartic/batch.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/energy.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/free_body.hpp"
#include "support/support.hpp"

namespace quartic::test {

inline constexpr double gravity = 9.81;  // [m/s^2]
inline const BatchOptions backward_euler = {
    .integrator = Integrator::backward_euler, .rayleigh_stiffness = 1e-3, .threads = 1};

/// A block of 1 x 0.6 x 0.3 m that flies, rank 12.
inline const ReducedModel& flying_block() {
  static const ReducedModel model = free_block(5e5, 6, 12);
  return model;
}

/// Its tree with points 5 cm apart.
inline const BoundTree& block_tree() {
  static const BoundTree tree = bound_tree(flying_block(), {.spacing = 0.05});
  return tree;
}

/// Its tree with a point in each corner.
inline const std::shared_ptr<const BoundTree>& block_corners() {
  static const std::shared_ptr<const BoundTree> tree = std::make_shared<BoundTree>(bound_tree(flying_block()));
  return tree;
}

/// X + U q of all points, shape (3, p).
inline Eigen::Matrix3Xd moved_points(const ContactPoints& points, const Eigen::VectorXd& q) {
  const Eigen::Map<const Eigen::VectorXd> rest(points.positions.data(), std::ssize(points.positions));
  const Eigen::VectorXd moved = rest + points.basis.map() * q;
  return Eigen::Map<const Eigen::Matrix3Xd>(moved.data(), 3, points.count());
}

/// A state of equal energy in all modes whose largest displacement of a point is `displacement` [m].
inline Eigen::VectorXd displaced_state(const ReducedModel& model, const ContactPoints& points, double displacement,
                                       unsigned seed) {
  const std::vector<double> rest(static_cast<std::size_t>(model.rank()));
  const Eigen::VectorXd stiffness = evaluate(model.energy, rest).stiffness.map().diagonal();
  const std::vector<double> numbers = random_numbers(2 * rest.size(), seed);
  Eigen::VectorXd q(model.rank());
  for (Eigen::Index i = 0; i < q.size(); ++i)  // sums of two: nearer to normal than one
    q[i] = (numbers[static_cast<std::size_t>(2 * i)] + numbers[static_cast<std::size_t>(2 * i + 1)]) /
           std::sqrt(stiffness[i]);
  const Eigen::VectorXd u = points.basis.map() * q;
  const Eigen::Map<const Eigen::Matrix3Xd> fields(u.data(), 3, points.count());
  return q * (displacement / fields.colwise().norm().maxCoeff());
}

}  // namespace quartic::test
