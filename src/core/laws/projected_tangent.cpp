#include "core/laws/projected_tangent.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "core/laws/point_law.hpp"

namespace quartic {
namespace {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

// Without the negative eigenvalues.
Eigen::Matrix3d positive_part(const Eigen::Matrix3d& block) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(block);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

// Of C at the diagonal F of singular values.
Matrix9 positive_part_of(const double* c) {
  Matrix9 result = Matrix9::Zero();
  Eigen::Matrix3d stretches;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) stretches(i, j) = c[packed(4 * std::min(i, j), 4 * std::max(i, j))];
  stretches = positive_part(stretches);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(4 * i, 4 * j) = stretches(i, j);
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j) {
      const int n = 3 * i + j, m = 3 * j + i;
      const double own = (c[packed(n, n)] + c[packed(m, m)]) / 2, other = c[packed(n, m)];
      const double flip = std::max(0.0, own + other), twist = std::max(0.0, own - other);
      result(n, n) = result(m, m) = (flip + twist) / 2;
      result(n, m) = result(m, n) = (flip - twist) / 2;
    }
  return result;
}

}  // namespace

void projected_tangent(const Material& material, const double* a, double* c) {
  const SignedSvd d = corotational_frame(a);
  const double stretch[9] = {d.s[0] - 1, 0, 0, 0, d.s[1] - 1, 0, 0, 0, d.s[2] - 1};
  const auto k = law_constants(material.law, lame_lambda(material), lame_mu(material), material.mooney_share);
  law_tangent(material.law, k, stretch, c);
  const Matrix9 inside = positive_part_of(c);
  Matrix9 axes;  // entry iJ of U X V^T by entry ab of X
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 3; ++n) axes(3 * i + j, 3 * m + n) = d.u[i][m] * d.v[j][n];
  const Matrix9 whole = axes * inside * axes.transpose();
  for (int row = 0; row < 9; ++row)
    for (int column = row; column < 9; ++column) c[packed(row, column)] = whole(row, column);
}

}  // namespace quartic
