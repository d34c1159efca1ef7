// Dense decompositions: they give the matrix back, factors are orthonormal, spectra are known ones, and what can't be
// decomposed is refused.
#include "core/algebra/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "quartic/error.hpp"
#include "support/support.hpp"

namespace quartic::dense {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  const std::vector<double> numbers = test::random_numbers(static_cast<std::size_t>(rows * cols), seed);
  return MatrixXd::Map(numbers.data(), rows, cols);
}

MatrixXd symmetric_matrix(Eigen::Index n, unsigned seed) {
  const MatrixXd a = random_matrix(n, n, seed);
  return a + a.transpose();
}

MatrixXd positive_matrix(Eigen::Index n, unsigned seed) {
  const MatrixXd a = random_matrix(n, n, seed);
  return a * a.transpose() + MatrixXd::Identity(n, n);
}

// -1, 2, -1: the eigenvalues are 2 - 2 cos(j pi / (n + 1)).
MatrixXd second_differences(Eigen::Index n) {
  MatrixXd a = 2 * MatrixXd::Identity(n, n);
  a.diagonal(1).setConstant(-1);
  a.diagonal(-1).setConstant(-1);
  return a;
}

// Errors are some roundings per row.
void expect_near(const MatrixXd& a, const MatrixXd& b, double scale) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  const double roundings = static_cast<double>(std::max(a.rows(), a.cols()));
  if (a.size() > 0) {
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 10 * epsilon * scale * roundings);
  }
}

void expect_orthonormal_columns(const MatrixXd& q) {
  expect_near(q.transpose() * q, MatrixXd::Identity(q.cols(), q.cols()), 1);
}

MatrixXd with_entry(MatrixXd a, double entry) {
  a(a.rows() - 1, 0) = entry;
  return a;
}

const double not_finite[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};

TEST(Dense, EigenpairsGiveTheMatrixBack) {
  for (const Eigen::Index n : {0, 1, 2, 25, 26, 130}) {  // 25: LAPACK's methods change above
    const MatrixXd a = symmetric_matrix(n, 1);
    const Eigenpairs pairs = symmetric_eigen(a);
    expect_orthonormal_columns(pairs.vectors);
    expect_near(pairs.vectors * pairs.values.asDiagonal() * pairs.vectors.transpose(), a, a.norm());
    EXPECT_TRUE(std::is_sorted(pairs.values.begin(), pairs.values.end()));
  }
}

TEST(Dense, EigenvaluesAreTheKnownOnes) {
  const Eigen::Index n = 60;
  const Eigenpairs pairs = symmetric_eigen(second_differences(n));
  for (Eigen::Index j = 0; j < n; ++j)
    EXPECT_NEAR(pairs.values[j], 2 - 2 * std::cos(static_cast<double>(j + 1) * std::numbers::pi / (n + 1)), 1e-14);
}

TEST(Dense, EigenpairsReadTheLowerTriangle) {
  const MatrixXd a = symmetric_matrix(30, 2), lower = a.triangularView<Eigen::Lower>();
  EXPECT_EQ(symmetric_eigen(lower).values, symmetric_eigen(a).values);
}

TEST(Dense, EqualEigenvaluesHaveOrthonormalVectors) {
  const MatrixXd q = svd(random_matrix(40, 3, 3)).u;
  const Eigenpairs pairs = symmetric_eigen(MatrixXd::Identity(40, 40) - q * q.transpose());
  expect_orthonormal_columns(pairs.vectors);
  for (Eigen::Index j = 0; j < 40; ++j) EXPECT_NEAR(pairs.values[j], j < 3 ? 0 : 1, 1e-14);
}

TEST(Dense, GeneralizedPairsSolveTheProblem) {
  for (const Eigen::Index n : {0, 1, 7, 90}) {
    const MatrixXd a = symmetric_matrix(n, 4), b = positive_matrix(n, 5);
    const auto pairs = symmetric_eigen(a, b);
    ASSERT_TRUE(pairs);
    expect_near(pairs->vectors.transpose() * b * pairs->vectors, MatrixXd::Identity(n, n), b.norm());
    expect_near(a * pairs->vectors, b * pairs->vectors * pairs->values.asDiagonal(), a.norm() * b.norm());
    EXPECT_TRUE(std::is_sorted(pairs->values.begin(), pairs->values.end()));
  }
}

TEST(Dense, GeneralizedPairsNeedAPositiveMatrix) {
  const MatrixXd a = MatrixXd::Identity(3, 3);
  EXPECT_FALSE(symmetric_eigen(a, MatrixXd::Zero(3, 3)));
  EXPECT_FALSE(symmetric_eigen(a, Eigen::Vector3d(1, 1, -1).asDiagonal()));
}

TEST(Dense, SvdGivesTheMatrixBack) {
  const std::pair<Eigen::Index, Eigen::Index> shapes[] = {{0, 0}, {0, 4},   {4, 0},   {1, 1},
                                                          {1, 5}, {300, 6}, {6, 300}, {70, 90}};
  for (const auto& [rows, cols] : shapes) {
    const MatrixXd a = random_matrix(rows, cols, 6);
    const Svd s = svd(a);
    expect_orthonormal_columns(s.u);
    expect_orthonormal_columns(s.v_transposed.transpose());
    expect_near(s.u * s.values.asDiagonal() * s.v_transposed, a, a.norm());
    EXPECT_TRUE(std::is_sorted(s.values.begin(), s.values.end(), std::greater<>()));
  }
}

TEST(Dense, SingularValuesAreTheKnownOnes) {
  const Eigen::Index n = 60;
  const Svd s = svd(second_differences(n));  // symmetric and positive: its eigenvalues
  for (Eigen::Index j = 0; j < n; ++j)
    EXPECT_NEAR(s.values[n - 1 - j], 2 - 2 * std::cos(static_cast<double>(j + 1) * std::numbers::pi / (n + 1)), 1e-14);
}

TEST(Dense, SvdShowsTheRank) {
  const MatrixXd a = random_matrix(50, 4, 7) * random_matrix(4, 30, 8);
  const Svd s = svd(a);
  EXPECT_GT(s.values[3], 1e-2 * s.values[0]);
  EXPECT_LT(s.values[4], 1e-14 * s.values[0]);
  const MatrixXd null_space = s.v_transposed.bottomRows(26).transpose();
  EXPECT_LE((a * null_space).norm(), 1e-13 * a.norm());
  EXPECT_EQ(svd(MatrixXd::Zero(3, 2)).values.norm(), 0);
}

TEST(Dense, TriangleHasTheProductsOfTheColumns) {
  const MatrixXd a = random_matrix(40, 9, 9);
  MatrixXd work = a;
  triangularize(work);
  const MatrixXd r = work.topRows(9);
  EXPECT_TRUE(r.isUpperTriangular(0));
  expect_near(r.transpose() * r, a.transpose() * a, a.squaredNorm());
}

TEST(Dense, CholeskySolves) {
  for (const Eigen::Index n : {0, 1, 5, 80}) {
    const MatrixXd a = positive_matrix(n, 10), x = random_matrix(n, 3, 11);
    const auto factor = cholesky(a.triangularView<Eigen::Lower>());
    ASSERT_TRUE(factor);
    MatrixXd solution = a * x;
    factor->solve(solution);
    expect_near(solution, x, a.norm());  // the smallest eigenvalue is above 1
  }
}

TEST(Dense, CholeskyOrthonormalizes) {
  const MatrixXd z = random_matrix(50, 6, 12);
  MatrixXd q = z;
  const auto factor = cholesky(z.transpose() * z);
  ASSERT_TRUE(factor);
  factor->orthonormalize(q);
  expect_near(q.transpose() * q, MatrixXd::Identity(6, 6), 10);
  MatrixXd transform = MatrixXd::Identity(6, 6);
  factor->orthonormalize(transform);
  EXPECT_TRUE(transform.isUpperTriangular(0));
}

TEST(Dense, CholeskyNeedsAPositiveMatrix) {
  EXPECT_FALSE(cholesky(MatrixXd::Zero(1, 1)));
  EXPECT_FALSE(cholesky(Eigen::Vector3d(1, -1, 1).asDiagonal()));
  EXPECT_FALSE(cholesky(-MatrixXd::Identity(100, 100)));
}

// Row 4 of the factor has 1e200 and -1e200, whose products with row 3 are inf and -inf.
TEST(Dense, CholeskyNeedsAFiniteFactor) {
  for (const Eigen::Index n : {4, 40, 300}) {
    MatrixXd a = MatrixXd::Identity(n, n);
    a(2, 0) = a(2, 1) = 1e150;
    a(2, 2) = 3e300;
    a(3, 0) = 1e200;
    a(3, 1) = -1e200;
    EXPECT_FALSE(cholesky(a)) << n;
  }
}

TEST(Dense, LuSolvesAndInverts) {
  for (const Eigen::Index n : {0, 1, 2, 60}) {
    MatrixXd a = random_matrix(n, n, 13);
    a.diagonal(n > 1 ? 1 : 0).array() += 5;
    if (n > 0) a(n - 1, 0) += 5;  // a permutation, roughly: rows must be exchanged
    const MatrixXd x = random_matrix(n, 2, 14);
    const auto factor = lu(a, 1e-14);
    ASSERT_TRUE(factor);
    MatrixXd solution = a * x;
    factor->solve(solution);
    expect_near(solution, x, a.norm());
    expect_near(a * factor->inverse(), MatrixXd::Identity(n, n), a.norm());
  }
}

TEST(Dense, LuNeedsAnInvertibleMatrix) {
  EXPECT_FALSE(lu(MatrixXd::Zero(1, 1), 1e-14));
  EXPECT_FALSE(lu(MatrixXd::Ones(3, 3), 1e-14));
  EXPECT_FALSE(lu(Eigen::Vector3d(1, 1e-15, 1).asDiagonal(), 1e-14));
  EXPECT_TRUE(lu(Eigen::Vector3d(1, 1e-13, 1).asDiagonal(), 1e-14));
}

TEST(Dense, NumbersThatAreNotFiniteAreRefused) {
  for (const Eigen::Index n : {1, 3, 40})
    for (const double entry : not_finite) {
      const MatrixXd sound = positive_matrix(n, 15), a = with_entry(sound, entry);
      EXPECT_THROW(static_cast<void>(symmetric_eigen(a)), NumericalError);
      EXPECT_THROW(static_cast<void>(symmetric_eigen(a, sound)), NumericalError);
      EXPECT_THROW(static_cast<void>(symmetric_eigen(sound, a)), NumericalError);
      EXPECT_THROW(static_cast<void>(svd(a)), NumericalError);
      EXPECT_FALSE(cholesky(a));
      EXPECT_FALSE(lu(a, 1e-14));
    }
}

}  // namespace
}  // namespace quartic::dense
