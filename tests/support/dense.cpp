#include "support/dense.hpp"

#include <Eigen/Dense>

namespace quartic::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd solve(const MatrixXd& a, const MatrixXd& b) {
  return a.partialPivLu().solve(b);
}

MatrixXd inverse(const MatrixXd& a) {
  return a.partialPivLu().inverse();
}

double determinant(const MatrixXd& a) {
  return a.determinant();
}

bool is_positive_definite(const MatrixXd& a) {
  return a.llt().info() == Eigen::Success;
}

EigenPairs eigen_pairs(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

EigenPairs eigen_pairs(const MatrixXd& a, const MatrixXd& m) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(a, m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd eigenvalues(const MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd eigenvalues(const MatrixXd& a, const MatrixXd& m) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(a, m, Eigen::EigenvaluesOnly).eigenvalues();
}

MatrixXd orthonormal_columns(const MatrixXd& a) {
  return Eigen::HouseholderQR<MatrixXd>(a).householderQ() * MatrixXd::Identity(a.rows(), a.cols());
}

MatrixXd triangle_of_qr(const MatrixXd& a) {
  return Eigen::HouseholderQR<MatrixXd>(a).matrixQR();
}

}  // namespace quartic::test
