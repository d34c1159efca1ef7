// Sparse Cholesky: residuals, agreement of the methods, and matrices that have no factor.
#include "quartic/factorization.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <limits>
#include <thread>

#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "support/boxes.hpp"
#include "support/dense.hpp"
#include "support/expected_cudss.hpp"

namespace {

using Eigen::MatrixXd;
using namespace quartic;

// K + s M of a box: positive definite, 3 x 3 blocks.
SparseMatrix elastic_matrix(double shift) {
  const VolumeMesh mesh = test::make_box(test::BoxCells::alternating, {4, 3, 3});
  const SparseMatrix k = stiffness_matrix(mesh), m = mass_matrix(mesh);
  return to_sparse_matrix(Eigen::SparseMatrix<double, Eigen::RowMajor>(k.map() + shift * m.map()));
}

SparseMatrix sparse(const MatrixXd& dense) {
  return to_sparse_matrix(Eigen::SparseMatrix<double, Eigen::RowMajor>(dense.sparseView()));
}

MatrixXd random_columns(Eigen::Index rows, Eigen::Index columns) {
  const auto numbers = test::random_numbers(static_cast<std::size_t>(rows * columns), 3);
  return MatrixXd::Map(numbers.data(), rows, columns);
}

struct Solver {
  FactorizationMethod method;
  Backend backend;
  const char* test;  // its name
  const char* name;  // how the solver's own begins
};

class Factorize : public testing::TestWithParam<Solver> {
 protected:
  void SetUp() override {
    try {
      const Factorization probe(sparse(MatrixXd::Identity(1, 1)), options);
    } catch (const InputError& error) {
      GTEST_SKIP() << error.what();
    } catch (const BackendUnavailable& error) {
      if (options.method == FactorizationMethod::cudss && test::cudss_must_be_there()) FAIL() << error.what();
      GTEST_SKIP() << error.what();
    }
  }
  FactorizationOptions options{.method = GetParam().method, .backend = GetParam().backend};

  // cuSOLVER promises no order of its sums; all others repeat theirs.
  void expect_repeated(const MatrixXd& x, const MatrixXd& expected) const {
    if (options.method == FactorizationMethod::cusolver)
      EXPECT_LE((x - expected).norm(), 1e-12 * expected.norm());  // the condition number is below 1e4
    else
      EXPECT_EQ(x, expected);
  }
};

TEST_P(Factorize, SolvesAnyNumberOfColumns) {
  const SparseMatrix a = elastic_matrix(1e6);
  const Factorization factor(a, options);
  EXPECT_EQ(factor.rows(), a.rows);
  EXPECT_GE(factor.factor_nonzeros(), (a.nonzeros() + a.rows) / 2);
  for (const Eigen::Index columns : {1, 3, 100}) {
    const MatrixXd b = random_columns(a.rows, columns);
    MatrixXd x = b;
    factor.solve(x);
    // Backward stable: the residual is a few roundings of |A||x|.
    EXPECT_LE((a.map() * x - b).norm(), 1e-14 * a.map().norm() * x.norm());
  }
}

TEST_P(Factorize, SolvesColumnsOfALargerMatrixInPlace) {
  const SparseMatrix a = elastic_matrix(1e6);
  const Factorization factor(a, options);
  const MatrixXd all = random_columns(a.rows + 2, 5);
  MatrixXd work = all;
  factor.solve(work.block(1, 2, a.rows, 2));
  MatrixXd alone = all.block(1, 2, a.rows, 2);
  factor.solve(alone);
  expect_repeated(work.block(1, 2, a.rows, 2), alone);
  work.block(1, 2, a.rows, 2) = all.block(1, 2, a.rows, 2);
  EXPECT_EQ(work, all);
}

TEST_P(Factorize, AgreesWithADenseFactor) {
  const SparseMatrix a = elastic_matrix(1e6);
  const MatrixXd b = random_columns(a.rows, 4);
  MatrixXd x = b;
  Factorization(a, options).solve(x);
  const MatrixXd exact = test::solve(a.map(), b);
  // The condition number is below 1e4.
  EXPECT_LE((x - exact).norm(), 1e-12 * exact.norm());
}

TEST_P(Factorize, OneByOneAndDiagonal) {
  MatrixXd b = MatrixXd::Constant(1, 2, 6);
  Factorization(sparse(MatrixXd::Constant(1, 1, 4)), options).solve(b);
  EXPECT_EQ(b, MatrixXd::Constant(1, 2, 1.5));
  const Eigen::Vector3d d(2, 4, 8);
  MatrixXd c = MatrixXd::Ones(3, 1);
  Factorization(sparse(d.asDiagonal()), options).solve(c);
  EXPECT_LE((c - d.cwiseInverse()).norm(), 1e-15);
}

TEST_P(Factorize, NoColumnsIsNoWork) {
  const Factorization factor(sparse(MatrixXd::Identity(3, 3)), options);
  MatrixXd none(3, 0);
  factor.solve(none);
  EXPECT_EQ(none.cols(), 0);
}

TEST_P(Factorize, MovesItsFactor) {
  const SparseMatrix a = elastic_matrix(1e6);
  Factorization first(a, options);
  Factorization second(std::move(first));
  Factorization third(sparse(MatrixXd::Identity(2, 2)), options);
  third = std::move(second);
  const MatrixXd b = random_columns(a.rows, 1);
  MatrixXd x = b;
  third.solve(x);
  EXPECT_LE((a.map() * x - b).norm(), 1e-14 * a.map().norm() * x.norm());
}

TEST_P(Factorize, SeveralAtOnceFromSeveralThreads) {
  const SparseMatrix a = elastic_matrix(1e6);
  const MatrixXd b = random_columns(a.rows, 3);
  std::vector<double> residuals(4);
  std::vector<std::thread> threads;
  for (double& residual : residuals)
    threads.emplace_back([&] {
      const Factorization factor(a, options);
      MatrixXd x = b;
      factor.solve(x);
      residual = (a.map() * x - b).norm() / (a.map().norm() * x.norm());
    });
  for (std::thread& thread : threads) thread.join();
  for (const double residual : residuals) EXPECT_LE(residual, 1e-14);
}

TEST_P(Factorize, RefusesMatricesThatAreNotPositiveDefinite) {
  MatrixXd saddle = MatrixXd::Zero(2, 2);
  saddle(0, 1) = saddle(1, 0) = 1;
  MatrixXd negative = MatrixXd::Identity(5, 5);
  negative(3, 3) = -1;
  MatrixXd zero = MatrixXd::Identity(5, 5);
  zero(2, 2) = 0;
  MatrixXd coupled{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};
  for (const MatrixXd& matrix : {saddle, negative, zero, coupled})
    EXPECT_THROW(Factorization(sparse(matrix), options), NumericalError) << matrix;
  EXPECT_THROW(Factorization(sparse(-MatrixXd::Identity(1, 1)), options), NumericalError);
  // Shifted far below the lowest eigenvalues, in the middle of the elimination.
  EXPECT_THROW(Factorization(elastic_matrix(-1e4), options), NumericalError);
}

TEST_P(Factorize, RefusesWhatIsNoMatrix) {
  SparseMatrix wide = sparse(MatrixXd::Identity(3, 3));
  wide.cols = 4;
  EXPECT_THROW(Factorization(wide, options), InputError);
  SparseMatrix nan = sparse(MatrixXd::Identity(3, 3));
  nan.values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Factorization(nan, options), InputError);
  EXPECT_THROW(Factorization(SparseMatrix{}, options), InputError);
  const Factorization factor(sparse(MatrixXd::Identity(3, 3)), options);
  MatrixXd tall = MatrixXd::Zero(4, 1);
  EXPECT_THROW(factor.solve(tall), InputError);
}

TEST_P(Factorize, SaysWhatDoesTheWork) {
  const std::string name(Factorization(sparse(MatrixXd::Identity(3, 3)), options).name());
  EXPECT_EQ(name.find(GetParam().name), 0) << name;
}

TEST_P(Factorize, UpdatesToTheFactorOfAnotherMatrix) {
  options.updatable = true;
  const SparseMatrix first = elastic_matrix(1e6), second = elastic_matrix(3e5);
  Factorization factor(first, options);
  const MatrixXd b = random_columns(first.rows, 2);
  for (const SparseMatrix* matrix : {&second, &first}) {
    factor.update(*matrix);
    MatrixXd x = b, alone = b;
    factor.solve(x);
    Factorization(*matrix, options).solve(alone);
    expect_repeated(x, alone);  // the same analysis, the same operations
    EXPECT_LE((matrix->map() * x - b).norm(), 1e-14 * matrix->map().norm() * x.norm());
  }
}

TEST_P(Factorize, RecoversFromAnUpdateWithoutFactor) {
  options.updatable = true;
  const SparseMatrix good = elastic_matrix(1e6);
  Factorization factor(good, options);
  EXPECT_THROW(factor.update(elastic_matrix(-1e4)), NumericalError);
  const MatrixXd b = random_columns(good.rows, 1);
  MatrixXd x = b;
  EXPECT_THROW(factor.solve(x), InputError);
  EXPECT_EQ(x, b);
  factor.update(good);
  factor.solve(x);
  EXPECT_LE((good.map() * x - b).norm(), 1e-14 * good.map().norm() * x.norm());
}

TEST_P(Factorize, RefusesUpdatesThatDoNotFitAndKeepsItsFactor) {
  const SparseMatrix unit = sparse(MatrixXd::Identity(3, 3));
  Factorization fixed(unit, options);
  EXPECT_THROW(fixed.update(unit), InputError);
  options.updatable = true;
  Factorization factor(unit, options);
  EXPECT_THROW(factor.update(sparse(MatrixXd::Constant(3, 3, 1) + MatrixXd::Identity(3, 3))), InputError);
  EXPECT_THROW(factor.update(sparse(MatrixXd::Identity(4, 4))), InputError);
  SparseMatrix nan = unit;
  nan.values[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(factor.update(nan), InputError);
  MatrixXd x = MatrixXd::Ones(3, 1);
  factor.solve(x);
  EXPECT_EQ(x, MatrixXd::Ones(3, 1));
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Factorize,
    testing::Values(Solver{FactorizationMethod::mumps, Backend::cpu, "mumps", "MUMPS "},
                    Solver{FactorizationMethod::eigen, Backend::cpu, "eigen", "Eigen 3."},
                    Solver{FactorizationMethod::cudss, Backend::cuda, "cudss_on_cuda", "cuDSS "},
                    Solver{FactorizationMethod::cusolver, Backend::cuda, "cusolver_on_cuda", "cuSOLVER csrchol "},
                    Solver{FactorizationMethod::eigen, Backend::cuda, "eigen_on_cuda", "Eigen 3."}),
    [](const auto& param) { return param.param.test; });

}  // namespace
