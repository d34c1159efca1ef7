// Vectors and 3x3 matrices of bodies in space, for the host and for kernels.
#pragma once

#include <cmath>

#include "core/base/host_device.hpp"

namespace quartic::frame {

template <class T>
struct Vector3 {
  T x = 0, y = 0, z = 0;
};

template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> operator*(T scale, const Vector3<T>& a) {
  return {scale * a.x, scale * a.y, scale * a.z};
}
template <class T>
[[nodiscard]] QUARTIC_HD inline T dot(const Vector3<T>& a, const Vector3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
[[nodiscard]] QUARTIC_HD inline T norm(const Vector3<T>& a) {
  return std::sqrt(dot(a, a));
}

/// Row by row.
template <class T>
struct Matrix3 {
  Vector3<T> row[3];
};

template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> operator*(const Matrix3<T>& a, const Vector3<T>& x) {
  return {dot(a.row[0], x), dot(a.row[1], x), dot(a.row[2], x)};
}

}  // namespace quartic::frame
