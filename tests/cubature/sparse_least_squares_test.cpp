// Non-negative least squares against the conditions that only a solution meets, and against known ones.
#include "core/cubature/sparse_least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "core/algebra/normal_numbers.hpp"
#include "core/base/thread_pool.hpp"

namespace quartic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  MatrixXd result(rows, columns);
  NormalNumbers random(seed);
  for (Index j = 0; j < columns; ++j) result.col(j) = random.vector(rows);
  return result;
}

// Karush, Kuhn and Tucker: the slope is zero along chosen columns, and not downhill along others.
TEST(SparseLeastSquares, EndsAtTheMinimum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const MatrixXd y = random_matrix(40, 70, seed);
    const VectorXd b = random_matrix(40, 1, seed + 100).col(0);
    const SparseFit fit = fit_sparsely(y, b, {.most_columns = 70, .whole = b.norm()});
    VectorXd residual = b;
    for (Index n = 0; n < fit.weights.size(); ++n) {
      EXPECT_GT(fit.weights[n], 0);
      residual -= fit.weights[n] * y.col(fit.columns[static_cast<std::size_t>(n)]);
    }
    EXPECT_NEAR(fit.residual, residual.norm() / b.norm(), 1e-13);
    const VectorXd slopes = y.transpose() * residual;
    EXPECT_LT(slopes.maxCoeff(), 1e-10 * b.norm());
    for (const Index column : fit.columns) EXPECT_NEAR(slopes[column], 0, 1e-10 * b.norm());
  }
}

TEST(SparseLeastSquares, FindsAPositiveCombination) {
  const MatrixXd y = random_matrix(60, 200, 3).cwiseAbs();
  const VectorXd b = 2 * y.col(17) + 0.5 * y.col(90) + 3 * y.col(140);
  const SparseFit fit = fit_sparsely(y, b, {.most_columns = 100, .tolerance = 1e-12, .whole = b.norm()});
  ASSERT_EQ(fit.columns, (std::vector<Index>{17, 90, 140}));
  EXPECT_NEAR(fit.weights[0], 2, 1e-11);
  EXPECT_NEAR(fit.weights[1], 0.5, 1e-11);
  EXPECT_NEAR(fit.weights[2], 3, 1e-11);
}

TEST(SparseLeastSquares, EndsAtTheGivenNumber) {
  const MatrixXd y = random_matrix(80, 300, 4).cwiseAbs();
  const VectorXd b = y.rowwise().sum();
  double last = 1e300;
  const SparseFit fit =
      fit_sparsely(y, b, {.most_columns = 12, .whole = b.norm(), .progress = [&](double residual, Index) {
                            EXPECT_LE(residual, last * (1 + 1e-12));
                            last = residual;
                          }});
  EXPECT_EQ(std::ssize(fit.columns), 12);
}

TEST(SparseLeastSquares, EqualColumnsAreChosenOnce) {
  MatrixXd y = random_matrix(30, 20, 5).cwiseAbs();
  y.rightCols(10) = y.leftCols(10);
  const VectorXd b = y.rowwise().sum();
  const SparseFit fit = fit_sparsely(y, b, {.most_columns = 20, .tolerance = 1e-12, .whole = b.norm()});
  EXPECT_LT(fit.residual, 1e-12);
  EXPECT_LE(std::ssize(fit.columns), 10);
}

TEST(SparseLeastSquares, NothingFitsAnOppositeVector) {
  const MatrixXd y = random_matrix(30, 20, 6).cwiseAbs();
  const VectorXd b = -y.rowwise().sum();
  EXPECT_TRUE(fit_sparsely(y, b, {.most_columns = 20, .whole = b.norm()}).columns.empty());
}

}  // namespace
}  // namespace quartic
