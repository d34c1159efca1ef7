// Mass-PCA against matrices whose singular values are known.
#include "quartic/basis.hpp"

#include <Eigen/Core>
#include <cmath>

#include "quartic/error.hpp"
#include "support/dense.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Eigen::Index dofs = 300;

// A diagonal mass matrix with weights over three decades.
SparseMatrix test_mass() {
  Eigen::SparseMatrix<double> mass(dofs, dofs);
  for (int i = 0; i < dofs; ++i) mass.insert(i, i) = std::pow(10.0, 3.0 * (i / 3 * 3 % 101) / 100);
  return to_sparse_matrix(mass);
}

MatrixXd random_orthonormal(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  const auto numbers = test::random_numbers(static_cast<std::size_t>(rows * cols), seed);
  const MatrixXd a = Eigen::Map<const MatrixXd>(numbers.data(), rows, cols);
  return test::orthonormal_columns(a);
}

// Fields with the given singular values in the mass norm: L^-T Q diag(s) V^T for M = L L^T.
MatrixXd fields_with(const VectorXd& s, Eigen::Index count, const SparseMatrix& mass) {
  const VectorXd root = Eigen::SparseMatrix<double>(mass.map()).diagonal().cwiseSqrt();
  return root.cwiseInverse().asDiagonal() * random_orthonormal(dofs, s.size(), 1) * s.asDiagonal() *
         random_orthonormal(count, s.size(), 2).transpose();
}

TEST(MassPca, FindsGradedSingularValuesAndAnOrthonormalBasis) {
  const SparseMatrix mass = test_mass();
  VectorXd s(60);
  for (Eigen::Index i = 0; i < s.size(); ++i) s[i] = std::pow(10.0, -9.0 * static_cast<double>(i) / 59);
  const Basis basis = mass_pca(to_matrix(fields_with(s, 80, mass)), mass, 60);
  EXPECT_EQ(basis.numerical_rank, 60);
  ASSERT_GE(basis.singular_values.size(), 60U);
  // A Gram matrix would lose everything below 1e-8 of the largest.
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(basis.singular_values[i], s[static_cast<Eigen::Index>(i)], 1e-14);
  EXPECT_LT(orthonormality_error(basis.vectors.map(), mass), 1e-13);
}

TEST(MassPca, IsTheBestApproximationOfItsRank) {
  const SparseMatrix mass = test_mass();
  VectorXd s(12);
  for (Eigen::Index i = 0; i < s.size(); ++i) s[i] = 12 - static_cast<double>(i);
  const MatrixXd fields = fields_with(s, 30, mass);
  const Basis basis = mass_pca(to_matrix(fields), mass, 5);
  const MatrixXd u = basis.vectors.map();
  const MatrixXd rest = fields - u * (u.transpose() * (mass.map() * fields));
  // Eckart-Young: what is left has exactly the squared singular values that were cut.
  EXPECT_NEAR((rest.cwiseProduct(mass.map() * rest)).sum(), s.tail(7).squaredNorm(), 1e-10);
}

TEST(MassPca, KnowsDependentFields) {
  const SparseMatrix mass = test_mass();
  const MatrixXd fields = fields_with(VectorXd::LinSpaced(7, 7, 1), 40, mass);
  EXPECT_EQ(mass_pca(to_matrix(fields), mass, 7).numerical_rank, 7);
  EXPECT_THROW(static_cast<void>(mass_pca(to_matrix(fields), mass, 8)), InputError);
  EXPECT_EQ(mass_pca_up_to(to_matrix(fields), mass, 30).vectors.cols, 7);
  EXPECT_THROW(static_cast<void>(mass_pca(to_matrix(fields), mass, 0)), InputError);
  EXPECT_THROW(static_cast<void>(mass_pca(Matrix(dofs, 3), mass, 1)), InputError);
  EXPECT_THROW(static_cast<void>(mass_pca(Matrix(dofs - 3, 3), mass, 1)), InputError);
}

TEST(MassOrthonormalize, KeepsTheSpanInOrder) {
  const SparseMatrix mass = test_mass();
  const auto numbers = test::random_numbers(static_cast<std::size_t>(dofs * 40), 3);
  MatrixXd fields = Eigen::Map<const MatrixXd>(numbers.data(), dofs, 40);
  for (Eigen::Index j = 1; j < 40; ++j) fields.col(j) = fields.col(j - 1) + 1e-5 * fields.col(j);  // ill-conditioned
  const Matrix u = mass_orthonormalize(fields, mass);
  EXPECT_LT(orthonormality_error(u.map(), mass), 1e-12);
  const MatrixXd r = u.map().transpose() * (mass.map() * fields);
  EXPECT_LT((u.map() * r - fields).norm(), 1e-13 * fields.norm());
  for (Eigen::Index j = 0; j < 40; ++j)  // triangular: the first j columns span the first j fields
    EXPECT_LT(r.col(j).tail(39 - j).norm(), 1e-12 * r.col(j).norm());
  fields.col(39) = fields.col(3) - 2 * fields.col(17);
  EXPECT_THROW(static_cast<void>(mass_orthonormalize(fields, mass)), InputError);
}

TEST(OrthonormalityError, OfNoFieldsIsZero) {
  const SparseMatrix mass = test_mass();
  EXPECT_EQ(orthonormality_error(Matrix(dofs, 0).map(), mass), 0);
  EXPECT_EQ(orthonormality_error(Matrix(dofs, 2).map(), mass), 1);  // of zeros
}

TEST(ScaledFields, FollowTheirFormulaAndDropRoundOff) {
  const SparseMatrix mass = test_mass();
  LinearModes modes;
  modes.eigenvalues = {2, 8};
  modes.vectors = to_matrix(fields_with(VectorXd::Ones(2), 2, mass));
  ModalDerivatives derivatives{.pairs = {{0, 0}, {0, 1}, {1, 1}}, .vectors = Matrix(dofs, 3)};
  derivatives.vectors.map().col(0).setConstant(3);
  derivatives.vectors.map().col(1).setConstant(1e-15);  // round-off
  derivatives.vectors.map().col(2).setConstant(-5);
  const Matrix fields = scaled_fields(modes, derivatives, mass);
  ASSERT_EQ(fields.cols, 4);
  const double constant_norm = std::sqrt(VectorXd::Ones(dofs).dot(mass.map() * VectorXd::Ones(dofs)));
  EXPECT_LT((fields.map().col(0) - modes.vectors.map().col(0)).norm(), 1e-15);
  EXPECT_LT((fields.map().col(1) - modes.vectors.map().col(1) / 4).norm(), 1e-15);
  EXPECT_NEAR(fields(7, 2), 1 / constant_norm, 1e-15);          // lambda_1^2 / lambda_1^2
  EXPECT_NEAR(fields(7, 3), -4.0 / 64 / constant_norm, 1e-16);  // lambda_1^2 / lambda_2^2
}

TEST(FixSigns, MakesTheLargestEntryPositiveAndBreaksTiesByIndex) {
  Matrix x(3, 3);
  x.map() << 1, -2, 0,  //
      -3, 2, 0,         //
      2, 1, 0;
  fix_signs(x);
  EXPECT_EQ(x(1, 0), 3);
  EXPECT_EQ(x(0, 1), 2);  // -2 and 2 tie: the first decides
  EXPECT_EQ(x(0, 2), 0);
}

}  // namespace
}  // namespace quartic
