// St. Venant-Kirchhoff material at a point. Matrices are row-major double[9]; A = grad u, E = (A + A^T + A^T A) / 2.
#pragma once

#include <array>

namespace quartic::stvk {

using Matrix3 = std::array<double, 9>;

/// E = (A + A^T + A^T A) / 2.
[[nodiscard]] inline Matrix3 green_strain(const Matrix3& a) {
  Matrix3 e;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      e[3 * i + j] = 0.5 * (a[3 * i + j] + a[3 * j + i] + a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j]);
  return e;
}

/// sym(A^T B): the strain that is bilinear in two gradients.
[[nodiscard]] inline Matrix3 symmetric_product(const Matrix3& a, const Matrix3& b) {
  Matrix3 e;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      e[3 * i + j] = 0.5 * (a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j] + b[i] * a[j] +
                            b[3 + i] * a[3 + j] + b[6 + i] * a[6 + j]);
  return e;
}

/// sym(A): the strain that is linear in the gradient.
[[nodiscard]] inline Matrix3 symmetric_part(const Matrix3& a) {
  Matrix3 e;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) e[3 * i + j] = 0.5 * (a[3 * i + j] + a[3 * j + i]);
  return e;
}

/// S = lambda tr(E) I + 2 mu E.
[[nodiscard]] inline Matrix3 second_piola_stress(const Matrix3& e, double lambda, double mu) {
  Matrix3 s;
  for (std::size_t i = 0; i < 9; ++i) s[i] = 2 * mu * e[i];
  const double pressure = lambda * (e[0] + e[4] + e[8]);
  s[0] += pressure;
  s[4] += pressure;
  s[8] += pressure;
  return s;
}

/// lambda/2 tr(E)^2 + mu E:E [J/m^3].
[[nodiscard]] inline double energy_density(const Matrix3& e, double lambda, double mu) {
  const double trace = e[0] + e[4] + e[8];
  double square = 0;
  for (const double x : e) square += x * x;
  return 0.5 * lambda * trace * trace + mu * square;
}

/// A B.
[[nodiscard]] inline Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  return c;
}

}  // namespace quartic::stvk
