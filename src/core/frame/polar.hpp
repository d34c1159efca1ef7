// The rotation in a 3x3 matrix, whatever the matrix: of full rank or not, with a positive determinant or not.
#pragma once

#include <cmath>

#include "core/frame/rotation.hpp"

namespace quartic::frame {

/// A symmetric 4x4 matrix and the rotations that have made it diagonal: Jacobi's method.
template <class T>
struct SymmetricMatrix4 {
  T a[4][4];
  T vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};  // eigenvectors as columns

  /// Makes a_pq zero.
  QUARTIC_HD void rotate(int p, int q) {
    if (a[p][q] == 0) return;
    const T theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const T t = (theta < 0 ? T{-1} : T{1}) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const T cosine = 1 / std::sqrt(t * t + 1), sine = t * cosine, entry = a[p][q];
    a[p][p] -= t * entry;
    a[q][q] += t * entry;
    a[p][q] = a[q][p] = 0;
    for (int k = 0; k < 4; ++k) {
      const T vp = vectors[k][p], vq = vectors[k][q];
      vectors[k][p] = cosine * vp - sine * vq;
      vectors[k][q] = sine * vp + cosine * vq;
      if (k == p || k == q) continue;
      const T ap = a[k][p], aq = a[k][q];
      a[k][p] = a[p][k] = cosine * ap - sine * aq;
      a[k][q] = a[q][k] = sine * ap + cosine * aq;
    }
  }
};

/// The rotation R that is nearest to A, the one with the largest trace of R^T A: the orthogonal factor of A = R S where
/// det A > 0; of the matrices of determinant 1 the nearest one where A is reflected or singular. Not unique, but some
/// rotation, where the two smallest singular values (the least of them with the sign of det A) have the sum 0.
///
/// tr(R^T A) is a quadratic form of R's quaternion (Horn 1987), so R is its matrix's eigenvector of the largest
/// eigenvalue. Six sweeps of Jacobi's method make it diagonal to rounding. The error is rounding times the largest
/// over that sum.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> nearest_rotation(const Matrix3<T>& of) {
  // Of the size 1, so that neither squares nor quotients leave the range.
  T size = 0;
  for (const Vector3<T>& row : of.row) {
    const T most = std::abs(row.x) + std::abs(row.y) + std::abs(row.z);
    size = most > size ? most : size;
  }
  if (!(size > 0)) return {};
  const auto entry = [&](const Vector3<T>& row) { return Vector3<T>{row.x / size, row.y / size, row.z / size}; };
  const Vector3<T> a = entry(of.row[0]), b = entry(of.row[1]), c = entry(of.row[2]);
  SymmetricMatrix4<T> form{{{a.x - b.y - c.z, a.y + b.x, a.z + c.x, c.y - b.z},
                            {a.y + b.x, b.y - a.x - c.z, b.z + c.y, a.z - c.x},
                            {a.z + c.x, b.z + c.y, c.z - a.x - b.y, b.x - a.y},
                            {c.y - b.z, a.z - c.x, b.x - a.y, a.x + b.y + c.z}}};
  for (int sweep = 0; sweep < 6; ++sweep)
    for (int p = 0; p < 3; ++p)
      for (int q = p + 1; q < 4; ++q) form.rotate(p, q);
  int best = 3;  // the identity where all are equal
  for (int n = 0; n < 3; ++n)
    if (form.a[n][n] > form.a[best][best]) best = n;
  return normalised(
      Quaternion<T>{{form.vectors[0][best], form.vectors[1][best], form.vectors[2][best]}, form.vectors[3][best]});
}

}  // namespace quartic::frame
