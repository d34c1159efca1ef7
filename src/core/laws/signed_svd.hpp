// F = U diag(s) V^T of a 3 x 3 matrix with proper rotations U and V: the smallest s has the sign of det F, so that
// U V^T is a rotation even where F is inverted.
#pragma once

#include <cmath>

#include "core/base/host_device.hpp"

namespace quartic {

struct SignedSvd {
  double u[3][3], s[3], v[3][3];  ///< s[0] >= s[1] >= |s[2]|
};

namespace svd_details {

/// Rotates columns i and j of both matrices until those of the first are orthogonal. @return whether they weren't
QUARTIC_HD inline bool make_orthogonal(double (&a)[3][3], double (&v)[3][3], int i, int j) {
  double x = 0, y = 0, product = 0;
  for (int k = 0; k < 3; ++k) {
    x += a[k][i] * a[k][i];
    y += a[k][j] * a[k][j];
    product += a[k][i] * a[k][j];
  }
  if (!(product * product > 1e-32 * x * y)) return false;
  const double zeta = (y - x) / (2 * product);
  const double t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
  const double c = 1 / std::sqrt(1 + t * t), s = c * t;
  for (int k = 0; k < 3; ++k) {
    const double p = a[k][i], q = a[k][j], r = v[k][i], w = v[k][j];
    a[k][i] = c * p - s * q;
    a[k][j] = s * p + c * q;
    v[k][i] = c * r - s * w;
    v[k][j] = s * r + c * w;
  }
  return true;
}

QUARTIC_HD inline void swap_columns(double (&a)[3][3], int i, int j) {
  for (int k = 0; k < 3; ++k) {  // a rotation: one of them changes its sign
    const double x = a[k][i];
    a[k][i] = -a[k][j];
    a[k][j] = x;
  }
}

QUARTIC_HD inline double norm(const double (&a)[3][3], int column) {
  return std::sqrt(a[0][column] * a[0][column] + a[1][column] * a[1][column] + a[2][column] * a[2][column]);
}

QUARTIC_HD inline void order_columns(double (&a)[3][3], double (&v)[3][3], int i) {
  if (norm(a, i) >= norm(a, i + 1)) return;
  swap_columns(a, i, i + 1);
  swap_columns(v, i, i + 1);
}

/// Column `to` becomes a unit vector at right angles to column 0.
QUARTIC_HD inline void set_any_normal(double (&u)[3][3], int to) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::fabs(u[k][0]) < std::fabs(u[least][0])) least = k;
  for (int k = 0; k < 3; ++k) u[k][to] = (k == least ? 1 : 0) - u[least][0] * u[k][0];
  const double length = norm(u, to);
  for (int k = 0; k < 3; ++k) u[k][to] /= length;
}

}  // namespace svd_details

/// By one-sided Jacobi rotations, which keep the small singular values' digits. Collapsed directions get any rotation.
/// @param f rows F_iJ, finite
QUARTIC_HD inline SignedSvd signed_svd(const double* f) {
  using namespace svd_details;
  SignedSvd r{};
  double a[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      a[i][j] = f[3 * i + j];
      r.v[i][j] = i == j ? 1 : 0;
    }
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool rotated = make_orthogonal(a, r.v, 0, 1);
    rotated = make_orthogonal(a, r.v, 0, 2) || rotated;
    rotated = make_orthogonal(a, r.v, 1, 2) || rotated;
    if (!rotated) break;
  }
  order_columns(a, r.v, 0);
  order_columns(a, r.v, 1);
  order_columns(a, r.v, 0);
  const double largest = norm(a, 0), second = norm(a, 1);
  for (int k = 0; k < 3; ++k) r.u[k][0] = largest > 0 ? a[k][0] / largest : (k == 0 ? 1 : 0);
  if (second > 1e-300 && second > 1e-150 * largest)
    for (int k = 0; k < 3; ++k) r.u[k][1] = a[k][1] / second;
  else
    set_any_normal(r.u, 1);
  r.s[0] = largest;
  r.s[1] = second;
  for (int k = 0; k < 3; ++k) {
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    r.u[k][2] = r.u[m][0] * r.u[n][1] - r.u[n][0] * r.u[m][1];
    r.s[2] += r.u[k][2] * a[k][2];
  }
  return r;
}

}  // namespace quartic
