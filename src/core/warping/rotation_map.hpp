// What takes linear displacements to those of finite rotations: I + x W + y W^2 with W = w^ (W p = w x p), |w| = t.
// With a = sin t / t, b = (1 - cos t) / t^2, c = (t - sin t) / t^3: exp(W) has x = a, y = b; its mean over exp(s W),
// s = 0 .. 1, which is V(w), has x = b, y = c, and V(w) (w x X) = (exp(W) - I) X exactly.
#pragma once

#include "core/frame/vector3.hpp"

namespace quartic::warping {

/// Below this t^2 the series is taken, eight terms of it.
inline constexpr double series_limit = 0.25;

/// The functions of t^2 above, and their derivatives by t over t.
template <class T>
struct RotationFunctions {
  T a, b, c;
  T a_slope, b_slope, c_slope;
};

/// sum over n of (-square)^n / (2 n + first)!, eight terms.
template <class T, int first>
[[nodiscard]] QUARTIC_HD inline T rotation_series(T square) {
  T sum = 1;
  for (int n = 7; n > 0; --n) sum = 1 - square / T((2 * n + first) * (2 * n + first - 1)) * sum;
  T factorial = 1;
  for (int n = 2; n <= first; ++n) factorial *= T(n);
  return sum / factorial;
}

/// Its derivative by t over t: sum over n >= 1 of 2 n (-1)^n square^(n-1) / (2 n + first)!.
template <class T, int first>
[[nodiscard]] QUARTIC_HD inline T rotation_series_slope(T square) {
  T sum = 1;
  for (int n = 7; n > 1; --n) sum = 1 - square * T(n) / T((n - 1) * (2 * n + first) * (2 * n + first - 1)) * sum;
  T factorial = 1;
  for (int n = 2; n <= first + 2; ++n) factorial *= T(n);
  return -2 * sum / factorial;
}

template <class T>
[[nodiscard]] QUARTIC_HD inline RotationFunctions<T> rotation_functions(T square) {
  RotationFunctions<T> f;
  if (square < T(series_limit)) {
    f.a = rotation_series<T, 1>(square);
    f.b = rotation_series<T, 2>(square);
    f.c = rotation_series<T, 3>(square);
    f.b_slope = rotation_series_slope<T, 2>(square);
    f.c_slope = rotation_series_slope<T, 3>(square);
  } else {
    const T t = std::sqrt(square), half = std::sin(t / 2) / t;
    f.a = std::sin(t) / t;
    f.b = 2 * half * half;
    f.c = (1 - f.a) / square;
    f.b_slope = (f.a - 2 * f.b) / square;
    f.c_slope = (f.b - 3 * f.c) / square;
  }
  f.a_slope = f.c - f.b;
  return f;
}

/// I + x W + y W^2 and what its derivative by w takes.
template <class T>
struct RotationMap {
  frame::Vector3<T> w;
  T x, y, x_slope, y_slope;

  /// (I + x W + y W^2) p
  [[nodiscard]] QUARTIC_HD frame::Vector3<T> apply(const frame::Vector3<T>& p) const {
    const frame::Vector3<T> turned = cross(w, p);
    return p + x * turned + y * cross(w, turned);
  }
  /// Its transpose times f.
  [[nodiscard]] QUARTIC_HD frame::Vector3<T> apply_transposed(const frame::Vector3<T>& f) const {
    const frame::Vector3<T> turned = cross(w, f);
    return f - x * turned + y * cross(w, turned);
  }
  /// (d(map p)/dw) v = x (v x p) + x' (w.v) (w x p) + y ((w.p) v + (p.v) w - 2 (w.v) p) + y' (w.v) (w x (w x p)), the
  /// primes being derivatives by t over t.
  [[nodiscard]] QUARTIC_HD frame::Vector3<T> derivative(const frame::Vector3<T>& p, const frame::Vector3<T>& v) const {
    const frame::Vector3<T> turned = cross(w, p);
    const T along = dot(w, v);
    return x * cross(v, p) + (x_slope * along) * turned + y * (dot(w, p) * v + dot(p, v) * w - (2 * along) * p) +
           (y_slope * along) * cross(w, turned);
  }
  /// Its transpose times f.
  [[nodiscard]] QUARTIC_HD frame::Vector3<T> derivative_transposed(const frame::Vector3<T>& p,
                                                                   const frame::Vector3<T>& f) const {
    const frame::Vector3<T> turned = cross(w, p);
    const T along = x_slope * dot(turned, f) + y_slope * dot(cross(w, turned), f) - 2 * y * dot(p, f);
    return x * cross(p, f) + along * w + y * (dot(w, p) * f + dot(w, f) * p);
  }
};

/// exp(W)
template <class T>
[[nodiscard]] QUARTIC_HD inline RotationMap<T> exponential_map(const frame::Vector3<T>& w) {
  const RotationFunctions<T> f = rotation_functions(dot(w, w));
  return {w, f.a, f.b, f.a_slope, f.b_slope};
}

/// V(w)
template <class T>
[[nodiscard]] QUARTIC_HD inline RotationMap<T> integrated_map(const frame::Vector3<T>& w) {
  const RotationFunctions<T> f = rotation_functions(dot(w, w));
  return {w, f.b, f.c, f.b_slope, f.c_slope};
}

}  // namespace quartic::warping
