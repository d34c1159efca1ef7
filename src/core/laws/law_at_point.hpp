// Energy, stress and tangent of the material laws at a point, by A = F - I: so small strains keep their digits, in
// float too. Entries of 3 x 3 matrices in the order F_iJ, rows first.
//
// Written once for numbers and for the compilers' vector types, for the CPU and for kernels. With X # Y the product
//   (X # Y)_iJ = eps_ikm eps_JLN X_kL Y_mN      (Bonet, Gil & Ortigosa 2015), cof X = X # X / 2,
// g = cof F is dJ/dF, and d2J/dF2 takes X to F # X.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/laws/law_constants.hpp"

#define QUARTIC_POINT [[gnu::always_inline]] QUARTIC_HD inline

namespace quartic {

/// Where entry (row, column), row <= column, of a symmetric 9 x 9 matrix stands among 45.
[[nodiscard]] QUARTIC_HD constexpr int packed(int row, int column) {
  return row * (17 - row) / 2 + column;
}

/// +1 or -1 as eps_ikm with m the third index; 0 where i = k.
[[nodiscard]] QUARTIC_HD constexpr int turn(int i, int k) {
  return i == k ? 0 : (k - i + 3) % 3 == 1 ? 1 : -1;
}

/// x # y.
template <class V>
QUARTIC_POINT void cross(const V* x, const V* y, V* result) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      result[3 * i + j] =
          x[i1 + j1] * y[i2 + j2] - x[i1 + j2] * y[i2 + j1] + y[i1 + j1] * x[i2 + j2] - y[i1 + j2] * x[i2 + j1];
    }
}

template <class V>
QUARTIC_POINT void cofactor(const V* x, V* result) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      result[3 * i + j] = x[i1 + j1] * x[i2 + j2] - x[i1 + j2] * x[i2 + j1];
    }
}

[[nodiscard]] QUARTIC_HD inline double inner(const double* x, const double* y) {
  double sum = x[0] * y[0];
  for (int n = 1; n < 9; ++n) sum += x[n] * y[n];
  return sum;
}

/// What the formulas have in common.
template <class V>
struct Strain {
  V f[9], minors[9], g[9];  ///< F, cof A, cof F
  V trace, second, det;     ///< tr A, tr cof A, det A
  V change, stretch;        ///< J - 1, F : F - 3
};

template <class V>
QUARTIC_POINT void set_strain(const V* a, Strain<V>& s) {
  cofactor(a, s.minors);
  s.trace = a[0] + a[4] + a[8];
  s.second = s.minors[0] + s.minors[4] + s.minors[8];
  s.det = a[0] * s.minors[0] + a[1] * s.minors[1] + a[2] * s.minors[2];
  s.change = s.trace + s.second + s.det;
  s.stretch = 2 * s.trace;
  for (int n = 0; n < 9; ++n) s.stretch += a[n] * a[n];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int n = 3 * i + j;
      s.f[n] = i == j ? a[n] + 1 : a[n];
      s.g[n] = s.minors[n] - a[3 * j + i];
      if (i == j) s.g[n] += s.trace + 1;
    }
}

/// Green's strain E = (A + A^T + A^T A) / 2 and S = lambda tr(E) I + 2 mu E.
template <class V, class K>
QUARTIC_POINT void green_strain(const LawConstants<K>& k, const V* a, V* e, V* stress) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      e[3 * i + j] = (a[3 * i + j] + a[3 * j + i] + a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j]) / 2;
  const V pressure = k.lambda * (e[0] + e[4] + e[8]);
  for (int n = 0; n < 9; ++n) {
    stress[n] = 2 * k.mu * e[n];
    if (n % 4 == 0) stress[n] += pressure;
  }
}

/// |cof F|^2 - 3 - 4 (J - 1) by A: with cof F = I + B, B : B - 2 tr cof A - 4 det A.
[[nodiscard]] QUARTIC_HD inline double mooney_part(const Strain<double>& s) {
  double sum = -2 * s.second - 4 * s.det;
  for (int n = 0; n < 9; ++n) {
    const double b = n % 4 == 0 ? s.g[n] - 1 : s.g[n];
    sum += b * b;
  }
  return sum;
}

/// Its derivative: 2 (F # g - 2 g), again without the parts that cancel.
template <class V>
QUARTIC_POINT void mooney_stress(const V* a, const Strain<V>& s, V* result) {
  V b[9];
  for (int n = 0; n < 9; ++n) b[n] = n % 4 == 0 ? s.g[n] - 1 : s.g[n];
  cross(a, b, result);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int n = 3 * i + j, t = 3 * j + i;
      result[n] += a[n] + a[t] - 2 * s.minors[n] - s.minors[t];
      if (i == j) result[n] += s.second;
      result[n] = 2 * result[n];
    }
}

/// The part of the energy without logarithm of the laws that law_constants.hpp speaks of.
[[nodiscard]] QUARTIC_HD inline double polynomial_energy(const LawConstants<double>& k, const double* a,
                                                         const Strain<double>& s) {
  const double shear = inner(a, a) / 2 - s.second - s.det;
  return k.shear * shear + k.volume / 2 * s.change * s.change + k.mooney * mooney_part(s);
}

/// (x/4 - log(1 + x/4)) of a number, with all digits for small x.
[[nodiscard]] QUARTIC_HD inline double logarithm_part(double x) {
  const double y = x / 4;
  if (std::fabs(y) > 0.02) return y - std::log1p(y);
  double sum = 0, power = y;
  for (int n = 2; n < 12; ++n) {
    power *= -y;
    sum -= power / n;
  }
  return sum;
}

/// P = dpsi/dF of the laws of law_constants.hpp.
template <class V, class K>
QUARTIC_POINT void smooth_stress(const LawConstants<K>& k, const V* a, const Strain<V>& s, V* p) {
  const V pressure = k.volume * s.change, growth = k.logarithmic / 4 * s.stretch / (4 + s.stretch);
  V mooney[9];
  mooney_stress(a, s, mooney);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int n = 3 * i + j;
      V distortion = a[n] + a[3 * j + i] - s.minors[n];  // F - g
      if (i == j) distortion -= s.trace;
      p[n] = k.shear * distortion + pressure * s.g[n] + growth * s.f[n] + k.mooney * mooney[n];
    }
}

/// C = dP/dF of these, 45 entries.
template <class V, class K>
QUARTIC_POINT void smooth_tangent(const LawConstants<K>& k, const Strain<V>& s, V* c) {
  const V inverse = 1 / (4 + s.stretch), growth = k.logarithmic / 4 * s.stretch * inverse,
          twice = 2 * k.logarithmic * inverse * inverse;
  const V turned = k.volume * s.change - k.shear - 4 * k.mooney;  // of d2J/dF2
  const V along = twice + 4 * k.mooney;                           // of F F^T as vectors
  const V own = k.shear + growth + 2 * k.mooney * (3 + s.stretch);
  V right[9], left[9];  // 2 c01 F^T F and 2 c01 F F^T
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const V *f = s.f, *row = s.f + std::ptrdiff_t{3} * i, *other = s.f + std::ptrdiff_t{3} * j;
      right[3 * i + j] = 2 * k.mooney * (f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j]);
      left[3 * i + j] = 2 * k.mooney * (row[0] * other[0] + row[1] * other[1] + row[2] * other[2]);
    }
  for (int row = 0; row < 9; ++row)
    for (int column = row; column < 9; ++column) {
      const int i = row / 3, j = row % 3, m = column / 3, l = column % 3;
      V entry = along * s.f[row] * s.f[column] + k.volume * s.g[row] * s.g[column] -
                2 * k.mooney * s.f[3 * i + l] * s.f[3 * m + j];
      if (i != m && j != l) {
        const V rest = turned * s.f[3 * (3 - i - m) + 3 - j - l];
        if (turn(i, m) * turn(j, l) > 0)
          entry += rest;
        else
          entry -= rest;
      }
      if (row == column) entry += own;
      if (i == m) entry -= right[3 * l + j];
      if (j == l) entry -= left[3 * i + m];
      c[packed(row, column)] = entry;
    }
}

template <class V, class K>
QUARTIC_POINT void stvk_stress(const LawConstants<K>& k, const V* a, V* p) {
  V e[9], s[9];
  green_strain(k, a, e, s);
  for (int i = 0; i < 3; ++i) {
    const V* row = a + std::ptrdiff_t{3} * i;
    for (int j = 0; j < 3; ++j) p[3 * i + j] = s[3 * i + j] + row[0] * s[j] + row[1] * s[3 + j] + row[2] * s[6 + j];
  }
}

template <class V, class K>
QUARTIC_POINT void stvk_tangent(const LawConstants<K>& k, const V* a, V* c) {
  V e[9], s[9], f[9], left[9];
  green_strain(k, a, e, s);
  for (int n = 0; n < 9; ++n) f[n] = n % 4 == 0 ? a[n] + 1 : a[n];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      left[3 * i + j] = k.mu * (f[3 * i] * f[3 * j] + f[3 * i + 1] * f[3 * j + 1] + f[3 * i + 2] * f[3 * j + 2]);
  for (int row = 0; row < 9; ++row)
    for (int column = row; column < 9; ++column) {
      const int i = row / 3, j = row % 3, m = column / 3, l = column % 3;
      V entry = k.lambda * f[row] * f[column] + k.mu * f[3 * i + l] * f[3 * m + j];
      if (i == m) entry += s[3 * l + j];
      if (j == l) entry += left[3 * i + m];
      c[packed(row, column)] = entry;
    }
}

/// Hooke's: P = lambda tr(A) I + mu (A + A^T).
template <class V, class K>
QUARTIC_POINT void linear_stress(const LawConstants<K>& k, const V* a, V* p) {
  const V pressure = k.lambda * (a[0] + a[4] + a[8]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      p[3 * i + j] = k.mu * (a[3 * i + j] + a[3 * j + i]);
      if (i == j) p[3 * i + j] += pressure;
    }
}

/// Hooke's C.
template <class K>
[[nodiscard]] QUARTIC_POINT K linear_tangent(const LawConstants<K>& k, int row, int column) {
  const int i = row / 3, j = row % 3, m = column / 3, l = column % 3;
  K entry = K(0);
  if (i == j && m == l) entry += k.lambda;
  if (i == m && j == l) entry += k.mu;
  if (i == l && j == m) entry += k.mu;
  return entry;
}

}  // namespace quartic
