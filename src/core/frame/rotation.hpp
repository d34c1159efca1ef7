// Rotations as unit quaternions (x, y, z, w), w the real part: q and -q are the same rotation.
#pragma once

#include <cmath>
#include <limits>

#include "core/frame/vector3.hpp"

namespace quartic::frame {

template <class T>
struct Quaternion {
  Vector3<T> vector;  // x, y, z
  T w = 1;
};

/// a b: first b, then a.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a.w * b.vector + b.w * a.vector + cross(a.vector, b.vector), a.w * b.w - dot(a.vector, b.vector)};
}
/// The inverse of a rotation.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> conjugate(const Quaternion<T>& q) {
  return {T{-1} * q.vector, q.w};
}
/// Of unit length again, as after some products. @param q not zero
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> normalised(const Quaternion<T>& q) {
  const T scale = 1 / std::sqrt(dot(q.vector, q.vector) + q.w * q.w);
  return {scale * q.vector, scale * q.w};
}

/// What callers write, too: of unit length again. A rotation that a step has left is so to rounding, and keeps its
/// bits. Zero or NaN becomes NaN, and the body diverges.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> unit_rotation(const Quaternion<T>& q) {
  const T square = dot(q.vector, q.vector) + q.w * q.w;
  return std::abs(square - 1) <= 8 * std::numeric_limits<T>::epsilon() ? q : normalised(q);
}

/// R x = x + 2 w (u x x) + 2 u x (u x x) with u the vector part.
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> rotate(const Quaternion<T>& q, const Vector3<T>& x) {
  const Vector3<T> c = T{2} * cross(q.vector, x);
  return x + q.w * c + cross(q.vector, c);
}

/// R. Orthogonal to rounding also where the quaternion's length is off by some.
template <class T>
[[nodiscard]] QUARTIC_HD inline Matrix3<T> matrix(const Quaternion<T>& q) {
  const T x = q.vector.x, y = q.vector.y, z = q.vector.z, w = q.w;
  const T s = 2 / (dot(q.vector, q.vector) + w * w);
  return {{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
           {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
           {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

/// The rotation by |v| [rad] about v: exp of the matrix v^ with v^ x = v x x.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> rotation_exp(const Vector3<T>& v) {
  const T square = dot(v, v), angle = std::sqrt(square);
  // sin(angle / 2) / angle; its series is exact to rounding below.
  const T scale = square < std::numeric_limits<T>::epsilon() ? T{0.5} - square / 48 : std::sin(angle / 2) / angle;
  return {scale * v, std::cos(angle / 2)};
}

/// v with exp(v) = q and |v| <= pi. @param q of unit length
template <class T>
[[nodiscard]] QUARTIC_HD inline Vector3<T> rotation_log(const Quaternion<T>& q) {
  const T sign = q.w < 0 ? T{-1} : T{1}, cosine = sign * q.w, sine = norm(q.vector);
  // angle / sin(angle / 2), which is 2 / cos(angle / 2) to rounding where the angle is small.
  const bool small = sine * sine < std::numeric_limits<T>::epsilon();
  const T scale = small ? 2 / cosine * (1 - sine * sine / (3 * cosine * cosine)) : 2 * std::atan2(sine, cosine) / sine;
  return sign * scale * q.vector;
}

/// cay(v) = (I - v^/2)^-1 (I + v^/2) = I + (v^ + v^ v^ / 2) / (1 + |v|^2 / 4): the rotation by 2 atan(|v| / 2) about v,
/// with arithmetic and one square root alone. As a quaternion (v, 2) / |(v, 2)|.
template <class T>
[[nodiscard]] QUARTIC_HD inline Quaternion<T> cayley(const Vector3<T>& v) {
  return normalised(Quaternion<T>{v, T{2}});
}

}  // namespace quartic::frame
