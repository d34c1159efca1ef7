// Hooke's law in the frame of the rotation R of the polar decomposition F = R S, R proper, as the energy
//   psi = mu |F - R|^2 + lambda / 2 (tr S - 3)^2
// with its exact stress and tangent. Of numbers in double: the decomposition branches.
#pragma once

#include "core/laws/law_at_point.hpp"
#include "core/laws/signed_svd.hpp"

namespace quartic {

/// Sums of two singular values below this count as this in the tangent, which is singular where they vanish.
inline constexpr double least_stretch_sum = 1e-6;

/// @param a F - I
QUARTIC_HD inline SignedSvd corotational_frame(const double* a) {
  double f[9];
  for (int n = 0; n < 9; ++n) f[n] = n % 4 == 0 ? a[n] + 1 : a[n];
  return signed_svd(f);
}

QUARTIC_HD inline double corotational_energy(const LawConstants<double>& k, const SignedSvd& d) {
  const double x = d.s[0] - 1, y = d.s[1] - 1, z = d.s[2] - 1;
  return k.mu * (x * x + y * y + z * z) + k.lambda / 2 * (x + y + z) * (x + y + z);
}

/// P = U (2 mu (s - 1) + lambda tr(s - 1) I) V^T.
QUARTIC_HD inline void corotational_stress(const LawConstants<double>& k, const SignedSvd& d, double* p) {
  const double pressure = k.lambda * (d.s[0] + d.s[1] + d.s[2] - 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      p[3 * i + j] = 0;
      for (int m = 0; m < 3; ++m) p[3 * i + j] += d.u[i][m] * (2 * k.mu * (d.s[m] - 1) + pressure) * d.v[j][m];
    }
}

/// C = 2 mu E9 + lambda R R^T + sum over twists Q of (lambda t - 2 mu) 2 / (s_i + s_j) Q Q^T, 45 entries.
QUARTIC_HD inline void corotational_tangent(const LawConstants<double>& k, const SignedSvd& d, double* c) {
  double rotation[9] = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int m = 0; m < 3; ++m) rotation[3 * i + j] += d.u[i][m] * d.v[j][m];
  for (int row = 0; row < 9; ++row)
    for (int column = row; column < 9; ++column)
      c[packed(row, column)] = k.lambda * rotation[row] * rotation[column] + (row == column ? 2 * k.mu : 0);
  const double factor = k.lambda * (d.s[0] + d.s[1] + d.s[2] - 3) - 2 * k.mu;
  for (int m = 0; m < 3; ++m) {
    const int n = (m + 1) % 3;
    const double sum = d.s[m] + d.s[n];
    const double weight = factor / (sum > least_stretch_sum ? sum : least_stretch_sum);
    double twist[9];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) twist[3 * i + j] = d.u[i][m] * d.v[j][n] - d.u[i][n] * d.v[j][m];
    for (int row = 0; row < 9; ++row)
      for (int column = row; column < 9; ++column) c[packed(row, column)] += weight * twist[row] * twist[column];
  }
}

}  // namespace quartic
