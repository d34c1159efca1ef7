// Dense linear algebra by Eigen, for small references. Compiled once: the decompositions take seconds in each file that
// names them.
#pragma once

#include <Eigen/Core>

namespace quartic::test {

/// A^-1 B by an LU factorisation with partial pivoting.
[[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
[[nodiscard]] Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
[[nodiscard]] double determinant(const Eigen::MatrixXd& a);

/// Whether a symmetric matrix has a Cholesky factor.
[[nodiscard]] bool is_positive_definite(const Eigen::MatrixXd& a);

/// Eigenvalues, ascending, and vectors with X^T X = I, or X^T M X = I where there is an M.
struct EigenPairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  // column per pair
};
[[nodiscard]] EigenPairs eigen_pairs(const Eigen::MatrixXd& a);
[[nodiscard]] EigenPairs eigen_pairs(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m);
[[nodiscard]] Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a);
[[nodiscard]] Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m);

/// Q and R of A = Q R: as many orthonormal columns as A has, and what Eigen leaves of A, whose upper triangle is R.
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& a);
[[nodiscard]] Eigen::MatrixXd triangle_of_qr(const Eigen::MatrixXd& a);

}  // namespace quartic::test
