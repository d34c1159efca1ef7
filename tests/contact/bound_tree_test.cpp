// Bounding spheres from q alone: they hold every point for every q, and not much more.
#include "quartic/bound_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "contact/contact_models.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Points in a box with made-up fields of the size of the box.
ContactPoints random_points(std::int64_t count, int rank, unsigned seed) {
  ContactPoints points;
  const auto p = static_cast<std::size_t>(count);
  points.triangles.assign(p, 0);
  points.weights.assign(3 * p, 1.0 / 3);
  points.areas.assign(p, 1);
  points.positions = random_numbers(3 * p, seed);
  points.basis = Matrix(3 * count, rank);
  points.basis.values = random_numbers(points.basis.values.size(), seed + 1);
  return points;
}

// Of one body, in T.
template <class T>
std::vector<T> spheres_of(const SphereFit<T>& fit, const VectorXd& q) {
  const Eigen::Vector<T, Eigen::Dynamic> own = q.cast<T>();
  std::vector<T> spheres(static_cast<std::size_t>(4 * fit.node_count()));
  fit.refit({own.data(), own.size(), 1, 1, 0}, spheres);
  return spheres;
}

// How often a point is outside of a node's sphere: of points computed in T, and of exact ones.
template <class T>
int violations(const BoundTree& tree, const std::vector<T>& spheres, const VectorXd& wanted) {
  const Eigen::Vector<T, Eigen::Dynamic> q = wanted.cast<T>();
  const Matrix3Xd exact = moved_points(tree.points, q.template cast<double>());
  Eigen::Matrix<T, 3, Eigen::Dynamic> computed(3, tree.points.count());
  for (std::int64_t p = 0; p < tree.points.count(); ++p)
    for (std::int64_t k = 0; k < 3; ++k) {
      T sum = static_cast<T>(tree.points.positions[static_cast<std::size_t>(3 * p + k)]);
      for (std::int64_t j = 0; j < tree.rank; ++j) sum += static_cast<T>(tree.points.basis(3 * p + k, j)) * q[j];
      computed(k, p) = sum;
    }
  int count = 0;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Vector3d centre(double{spheres[4 * n]}, double{spheres[4 * n + 1]}, double{spheres[4 * n + 2]});
    const BoundNode& node = tree.nodes[n];
    for (std::int32_t p = node.first_point; p < node.first_point + node.points; ++p) {
      if ((exact.col(p) - centre).norm() > double{spheres[4 * n + 3]}) ++count;
      if ((computed.col(p).template cast<double>() - centre).norm() > double{spheres[4 * n + 3]}) ++count;
    }
  }
  return count;
}

TEST(BoundTreeTest, HasEightChildrenAndLeavesOf32) {
  const BoundTree tree = bound_tree(random_points(5000, 2, 1));
  ASSERT_EQ(tree.node_count(), 1 + 3 + 20 + 157);
  EXPECT_EQ(std::count_if(tree.nodes.begin(), tree.nodes.end(), [](const BoundNode& n) { return n.children == 0; }),
            157);
  EXPECT_EQ(tree.nodes[0].children, 3);
  EXPECT_EQ(tree.nodes[1].points, 2048) << "all but the last ones are full";
  // Every point once.
  std::set<double> found(tree.points.positions.begin(), tree.points.positions.end());
  const ContactPoints points = random_points(5000, 2, 1);
  EXPECT_EQ(found, std::set<double>(points.positions.begin(), points.positions.end()));
  EXPECT_EQ(found.size(), 15000U);
}

TEST(BoundTreeTest, PointsCarryTheirFieldsAlong) {
  const ContactPoints points = random_points(300, 3, 7);
  const BoundTree tree = bound_tree(points);
  for (std::int64_t p = 0; p < 300; ++p) {
    const auto found = std::find(points.positions.begin(), points.positions.end(),
                                 tree.points.positions[static_cast<std::size_t>(3 * p)]);
    const auto old = (found - points.positions.begin()) / 3;
    for (std::int64_t j = 0; j < 3; ++j)
      for (std::int64_t k = 0; k < 3; ++k) EXPECT_EQ(tree.points.basis(3 * p + k, j), points.basis(3 * old + k, j));
  }
}

template <class T>
class SphereFitTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SphereFitTest, Precisions);

// Largest displacements of 0.3 m are what the model was made for; up to ten times that.
TYPED_TEST(SphereFitTest, HoldsEveryPointForEveryQ) {
  const BoundTree& tree = block_tree();
  const SphereFit<TypeParam> fit(tree);
  int outside = 0;
  for (unsigned n = 0; n < 300; ++n) {
    const double displacement = 3.0 * std::pow(10.0, -static_cast<double>(n % 5));
    const VectorXd q = displaced_state(flying_block(), tree.points, displacement, n);
    outside += violations(tree, spheres_of(fit, q), q);
  }
  outside += violations(tree, spheres_of(fit, VectorXd::Zero(tree.rank)), VectorXd::Zero(tree.rank));
  EXPECT_EQ(outside, 0);
}

// Fields that have nothing affine, nodes of one point, points that coincide, on a line and in a plane, far away.
TYPED_TEST(SphereFitTest, HoldsWhateverThePointsAre) {
  for (unsigned n = 0; n < 60; ++n) {
    ContactPoints points = random_points(1 + 11 * std::int64_t{n}, 1 + static_cast<int>(n % 17), 3 * n);
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
      double& x = points.positions[i];
      if (n % 5 == 1 && i % 3 == 2) x = 0.25;
      if (n % 5 == 2 && i % 3 != 0) x = -0.5;
      if (n % 5 == 3) x = 0.125;
      if (n % 5 == 4) x = 1e4 + 1e-3 * x;
    }
    const BoundTree tree = bound_tree(points);
    const SphereFit<TypeParam> fit(tree);
    for (unsigned state = 0; state < 4; ++state) {
      const VectorXd q = random_vector(tree.rank, 100 * n + state, std::pow(10.0, static_cast<double>(state) - 2));
      EXPECT_EQ(violations(tree, spheres_of(fit, q), q), 0) << n << ' ' << state;
    }
  }
}

TYPED_TEST(SphereFitTest, SpheresDontDependOnOtherBodies) {
  const BoundTree tree = bound_tree(random_points(700, 9, 4));
  const SphereFit<TypeParam> fit(tree);
  const auto bodies = std::int64_t{37};
  const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(9 * bodies), 8);
  const std::vector<TypeParam> q(numbers.begin(), numbers.end());
  std::vector<TypeParam> together(static_cast<std::size_t>(4 * fit.node_count() * bodies));
  fit.refit({q.data(), 9, bodies, bodies, 1}, together);
  for (std::int64_t b = 0; b < bodies; ++b) {
    std::vector<TypeParam> alone(static_cast<std::size_t>(4 * fit.node_count()));
    fit.refit({q.data() + b, 9, 1, bodies, 1}, alone);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + 4 * fit.node_count() * b)) << b;
  }
}

// An affine motion takes a ball to an ellipsoid, whose longest half axis is what is asked for.
TYPED_TEST(SphereFitTest, AffineMotionsHaveNoResidual) {
  ContactPoints points = random_points(400, 12, 2);
  for (std::int64_t p = 0; p < 400; ++p)
    for (std::int64_t j = 0; j < 12; ++j)
      for (std::int64_t k = 0; k < 3; ++k)
        points.basis(3 * p + k, j) = k != j / 4   ? 0
                                     : j % 4 == 3 ? 1
                                                  : points.positions[static_cast<std::size_t>(3 * p + j % 4)];
  const BoundTree tree = bound_tree(points);
  EXPECT_LT(*std::max_element(tree.residuals.begin(), tree.residuals.end()), 1e-13);
  VectorXd q = VectorXd::Zero(12);
  q[0] = 0.5, q[7] = 3;  // longer along x, and moved along y
  const std::vector<TypeParam> rest = spheres_of(SphereFit<TypeParam>(tree), VectorXd::Zero(12)),
                               moved = spheres_of(SphereFit<TypeParam>(tree), q);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    EXPECT_NEAR(moved[4 * n], 1.5 * rest[4 * n], 1e-5);
    EXPECT_NEAR(moved[4 * n + 1], rest[4 * n + 1] + 3, 1e-5);
    EXPECT_NEAR(moved[4 * n + 3], 1.5 * rest[4 * n + 3], 1e-3);
  }
}

// The 2004 rule, |q_j| times the farthest that the field takes a point from the centre, has 2.46 at 0.3 L.
TEST(BoundTreeTest, LeavesAreTight) {
  const BoundTree& tree = block_tree();
  const SphereFit<double> fit(tree);
  ASSERT_GT(tree.node_count(), 60);
  double sum = 0, rule_sum = 0;
  int count = 0;
  for (unsigned n = 0; n < 40; ++n) {
    const VectorXd q = displaced_state(flying_block(), tree.points, 0.3, 1000 + n);
    const std::vector<double> spheres = spheres_of(fit, q);
    const Matrix3Xd points = moved_points(tree.points, q);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const BoundNode& node = tree.nodes[i];
      if (node.children > 0) continue;
      const Vector3d centre(spheres.data() + 4 * i);
      const double radius =
          (points.middleCols(node.first_point, node.points).colwise() - centre).colwise().norm().maxCoeff();
      sum += spheres[4 * i + 3] / radius;
      double rule = tree.rest_spheres[4 * i + 3];
      for (std::int64_t j = 0; j < tree.rank; ++j) {
        const Eigen::Map<const Matrix3Xd> field(tree.points.basis.col(j).data() + 3 * node.first_point, 3, node.points);
        rule += std::abs(q[j]) * (field.colwise() - field.rowwise().mean()).colwise().norm().maxCoeff();
      }
      rule_sum += rule / radius;
      ++count;
    }
  }
  RecordProperty("mean_radius_over_true", std::to_string(sum / count));
  std::cout << "mean radius over true: " << sum / count << ", by the 2004 rule " << rule_sum / count << '\n';
  EXPECT_LE(sum / count, 1.5);
  EXPECT_GT(rule_sum / count, 1.4 * sum / count);
}

TEST(BoundTreeTest, DamageIsFound) {
  const BoundTree sound = bound_tree(random_points(100, 3, 6));
  require_sound(sound);
  const auto expect_refused = [&](const std::string& part, auto damage) {
    BoundTree tree = sound;
    damage(tree);
    const std::string message = message_of([&] { require_sound(tree); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect_refused("outside of node 2", [](BoundTree& t) { t.rest_spheres[4 * 2 + 3] *= 0.99; });
  expect_refused("vector 1 moves a point out of node 1", [](BoundTree& t) { t.residuals[3 + 1] *= 0.99; });
  expect_refused("moves a point out of", [](BoundTree& t) { t.affine_fields[7] += 1e-3; });
  expect_refused("points", [](BoundTree& t) { t.nodes[0].points = 99; });
  expect_refused("children", [](BoundTree& t) { t.nodes[0].first_child = 0; });
  expect_refused("children", [](BoundTree& t) { t.nodes[1].children = 2; });
  expect_refused("others' points", [](BoundTree& t) { std::swap(t.nodes[1], t.nodes[2]); });
  expect_refused("no node has", [](BoundTree& t) {
    t.nodes[0] = {0, 0, 0, 32}, t.points = bound_tree(random_points(32, 3, 1)).points;
  });
  expect_refused("finite", [](BoundTree& t) { t.centre_fields[0] = std::numeric_limits<double>::quiet_NaN(); });
  expect_refused("fit together", [](BoundTree& t) { t.residuals.pop_back(); });
  expect_refused("area", [](BoundTree& t) { t.points.areas[0] = -1; });
  EXPECT_THROW(static_cast<void>(bound_tree(ContactPoints{})), InputError);
  const SphereFit<double> fit(sound);
  std::vector<double> spheres(4);
  const std::vector<double> q(4);
  EXPECT_THROW(fit.refit({q.data(), 3, 1, 1, 0}, spheres), InputError);
  EXPECT_THROW(fit.refit({q.data(), 4, 1, 1, 0}, spheres), InputError);
}

}  // namespace
}  // namespace quartic
