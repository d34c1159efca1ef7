// Symmetric 3x3 matrices and small systems, for the host and for kernels.
#pragma once

#include <cmath>

#include "core/frame/vector3.hpp"

namespace quartic::frame {

template <class T>
struct Symmetric3 {
  T xx, yy, zz, yz, xz, xy;
};

template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> operator*(const Symmetric3<T>& a, const Vector3<T>& x) {
  return {a.xx * x.x + a.xy * x.y + a.xz * x.z, a.xy * x.x + a.yy * x.y + a.yz * x.z,
          a.xz * x.x + a.yz * x.y + a.zz * x.z};
}

/// A = L L^T, with the inverses of L's diagonal. Of a matrix that isn't positive definite some are NaN.
template <class T>
struct Cholesky3 {
  T x, yx, y, zx, zy, z;

  QUARTIC_HD explicit Cholesky3(const Symmetric3<T>& a) {
    x = 1 / std::sqrt(a.xx);
    yx = a.xy * x;
    zx = a.xz * x;
    y = 1 / std::sqrt(a.yy - yx * yx);
    zy = (a.yz - zx * yx) * y;
    z = 1 / std::sqrt(a.zz - zx * zx - zy * zy);
  }
  /// L^-1 b.
  [[nodiscard]] QUARTIC_HD Vector3<T> forward(const Vector3<T>& b) const {
    Vector3<T> r;
    r.x = x * b.x;
    r.y = y * (b.y - yx * r.x);
    r.z = z * (b.z - zx * r.x - zy * r.y);
    return r;
  }
  /// A^-1 b.
  [[nodiscard]] QUARTIC_HD Vector3<T> solve(const Vector3<T>& b) const {
    Vector3<T> r = forward(b);
    r.z = z * r.z;
    r.y = y * (r.y - zy * r.z);
    r.x = x * (r.x - yx * r.y - zx * r.z);
    return r;
  }
};

/// A^-1 b by Cramer's rule; not finite where A is singular.
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> solve(const Matrix3<T>& a, const Vector3<T>& b) {
  const Vector3<T> yz = cross(a.row[1], a.row[2]), zx = cross(a.row[2], a.row[0]), xy = cross(a.row[0], a.row[1]);
  const T inverse = 1 / dot(a.row[0], yz);
  return inverse * (b.x * yz + b.y * zx + b.z * xy);
}

}  // namespace quartic::frame
