// Fixed points by Anderson's mixing: of linear maps, also those that lead away, and of one that isn't linear.
#include "cpu/contact/anderson_mixing.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <functional>

namespace quartic::cpu {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// What is left of x = g(x) after so many images.
double left_after(int calls, VectorXd x, const std::function<VectorXd(const VectorXd&)>& map) {
  AndersonMixing mixing;
  mixing.begin(static_cast<std::size_t>(x.size()));
  for (int n = 0; n < calls; ++n) {
    const VectorXd image = map(x);
    mixing.next({x.data(), static_cast<std::size_t>(x.size())}, {image.data(), static_cast<std::size_t>(x.size())});
  }
  return (map(x) - x).norm();
}

TEST(AndersonMixingTest, LinearMapsTakeAsManyImagesAsNumbers) {
  const VectorXd offset = VectorXd::LinSpaced(5, 1, 2);
  for (const double largest : {0.5, 1.5, 4.0}) {
    MatrixXd matrix = MatrixXd::Constant(5, 5, 0.05);
    matrix.diagonal() << largest, -0.7, 0.3, -0.2, 0.1;
    const auto map = [&](const VectorXd& x) -> VectorXd { return matrix * x + offset; };
    EXPECT_GT(left_after(3, VectorXd::Zero(5), map), 1e-6) << largest;
    EXPECT_LT(left_after(8, VectorXd::Zero(5), map), 1e-8) << largest;
  }
}

TEST(AndersonMixingTest, OfManyNumbersTheLastImagesCount) {
  const auto map = [](const VectorXd& x) -> VectorXd {
    VectorXd image(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i)
      image[i] = std::cos(x[i]) + 0.2 * std::sin(x[(i + 1) % x.size()]) + 0.01 * static_cast<double>(i);
    return image;
  };
  EXPECT_LT(left_after(25, VectorXd::Zero(30), map), 1e-9);
}

TEST(AndersonMixingTest, StaysAtAFixedPoint) {
  const auto map = [](const VectorXd& x) -> VectorXd { return 0.5 * x; };
  EXPECT_EQ(left_after(10, VectorXd::Zero(4), map), 0);
}

TEST(AndersonMixingTest, ForgetsWhatWasBefore) {
  AndersonMixing mixing;
  VectorXd first(3), second(3);
  for (VectorXd* x : {&first, &second}) {
    *x = VectorXd::Ones(3);
    mixing.begin(3);
    for (int n = 0; n < 5; ++n) {
      const VectorXd image = x->array().cos();
      mixing.next({x->data(), 3}, {image.data(), 3});
    }
  }
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace quartic::cpu
