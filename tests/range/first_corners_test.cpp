// Where straight ways leave the range: closed forms, and dense sampling with singular values.
#include "core/range/first_corners.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "support/boxes.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;

// Of the displacement s A X, which has the gradient s A all over.
WayExits exits_of(const Matrix3d& a) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::tets, {1, 1, 1});
  MatrixXd field(std::ssize(mesh.vertices), 1);
  for (Eigen::Index v = 0; v < mesh.vertex_count(); ++v)
    field.block<3, 1>(3 * v, 0) = a * Eigen::Map<const Eigen::Vector3d>(mesh.vertices.data() + 3 * v);
  return first_corners(mesh, field, MatrixXd::Ones(1, 1)).at(0);
}

bool is_strained(const Matrix3d& f) {
  const Eigen::Vector3d stretches = Eigen::JacobiSVD<Matrix3d>(f).singularValues();
  return stretches.minCoeff() <= 1 / std::numbers::sqrt3 || stretches.maxCoeff() >= std::numbers::sqrt3;
}

// By steps of 1e-4: an interval of this length holds the first strained one.
double sampled(const Matrix3d& a) {
  for (int n = 1; n < 100'000; ++n)
    if (is_strained(Matrix3d::Identity() + 1e-4 * n * a)) return 1e-4 * n;
  return 0;
}

TEST(FirstCornersTest, CompressionAndTensionHaveTheirClosedForms) {
  const double root = std::numbers::sqrt3, shortest = 1 - 1 / root;
  const WayExits compressed = exits_of(Eigen::Vector3d(-1, 0, 0).asDiagonal());
  EXPECT_NEAR(compressed.strained.scale, shortest, 1e-5);
  EXPECT_NEAR(compressed.inverted.scale, 1, 1e-4);
  EXPECT_NEAR(exits_of(Eigen::Vector3d(-1, 0.3, 0.3).asDiagonal()).strained.scale, shortest, 1e-5);
  EXPECT_NEAR(exits_of(Eigen::Vector3d(1, 0, 0).asDiagonal()).strained.scale, root - 1, 1e-5);
  const Matrix3d shear{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_NEAR(exits_of(shear).strained.scale, root - 1 / root, 1e-5);
  EXPECT_EQ(exits_of(shear).inverted.corner.element, -1);
  const Matrix3d turned{{0, -1, 0}, {1, 0, 0}, {0, 0, 0}};  // stretches sqrt(1 + s^2), twice
  EXPECT_NEAR(exits_of(turned).strained.scale, std::numbers::sqrt2, 1e-5);
}

// The determinant only touches zero where two stretches reach the bound at once.
TEST(FirstCornersTest, StretchesThatLeaveTogetherAreFound) {
  const double shortest = 1 - 1 / std::numbers::sqrt3;
  for (const Eigen::Vector3d& axis : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(1, 2, -3)}) {
    const Eigen::Vector3d n = axis.normalized();
    EXPECT_NEAR(exits_of(n * n.transpose() - Matrix3d::Identity()).strained.scale, shortest, 1e-5);
  }
  EXPECT_NEAR(exits_of(-Matrix3d::Identity()).strained.scale, shortest, 1e-4) << "rounding at a triple root";
}

TEST(FirstCornersTest, AgreeWithDenseSampling) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const std::vector<double> numbers = test::random_numbers(9, seed);
    const Matrix3d a = Eigen::Map<const Matrix3d>(numbers.data());
    const double expected = sampled(a);
    ASSERT_GT(expected, 0);
    const WayExits exits = exits_of(a);
    EXPECT_NEAR(exits.strained.scale, expected, 1.1e-4) << seed;
    EXPECT_LT(exits.strained.scale, exits.inverted.scale) << seed;
  }
}

// Products of such numbers aren't numbers; the way is out of range at once, and found so at once.
TEST(FirstCornersTest, NumbersBeyondAllRangesAreOutOfRange) {
  for (const double size : {1e160, 1e300}) {
    const std::vector<double> numbers = test::random_numbers(9, 3);
    const Matrix3d a = size * Eigen::Map<const Matrix3d>(numbers.data());
    EXPECT_LT(exits_of(a).strained.scale, 1e-100) << size;
  }
}

}  // namespace
}  // namespace quartic
