// The bound of a linear map's stretch against its singular values.
#include "core/frame/stretch_bound.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "support/support.hpp"

namespace quartic {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

double largest_stretch(const Matrix& f) {
  return Eigen::JacobiSVD<Matrix>(f).singularValues()[0];
}

// 3^(1/32) = 1.0349: all directions alike, and rows that don't show it.
TEST(StretchBoundTest, IsAnUpperBoundByAtMostThreeAndAHalfPercent) {
  double worst = 1;
  for (unsigned n = 0; n < 4000; ++n) {
    const std::vector<double> numbers = test::random_numbers(9, n);
    Matrix f = Eigen::Map<const Matrix>(numbers.data()) * std::pow(10.0, n % 7 - 3.0);
    if (n % 2 == 0) f += Matrix::Identity();
    const double exact = largest_stretch(f), bound = stretch_bound(f.data());
    EXPECT_GE(bound, exact * (1 - 1e-14)) << n;
    worst = std::max(worst, bound / exact);
    const Eigen::Matrix<float, 3, 3, Eigen::RowMajor> rounded = f.cast<float>();
    EXPECT_GE(stretch_bound(rounded.data()), largest_stretch(rounded.cast<double>()) * (1 - 64 * 0x1p-24)) << n;
  }
  EXPECT_LE(worst, 1.035);
  EXPECT_GT(worst, 1.005);
}

TEST(StretchBoundTest, IsExactForScalingsAlongAxes) {
  const Matrix f = Eigen::Vector3d(0.3, -1.7, 1.1).asDiagonal();
  EXPECT_DOUBLE_EQ(stretch_bound(f.data()), 1.7);
  const Matrix identity = Matrix::Identity(), zero = Matrix::Zero();
  EXPECT_EQ(stretch_bound(identity.data()), 1);
  EXPECT_EQ(stretch_bound(zero.data()), 0);
}

TEST(StretchBoundTest, NeitherOverflowsNorVanishes) {
  for (const double size : {1e-30, 1e15}) {
    const Matrix f = Matrix::Constant(size);
    const Eigen::Matrix<float, 3, 3, Eigen::RowMajor> rounded = f.cast<float>();
    EXPECT_NEAR(stretch_bound(f.data()) / (3 * size), 1, 0.04);
    if (size > 1) {
      EXPECT_NEAR(stretch_bound(rounded.data()) / (3 * size), 1, 0.04);
    }
  }
}

}  // namespace
}  // namespace quartic
