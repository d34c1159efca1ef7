// Whether a point of a body is in its model's range: the two conditions of quartic/range.hpp, without eigenvalues.
//
// All principal stretches are above a and below b just where C - a^2 I and b^2 I - C are positive definite, C = F^T F,
// which their leading minors tell.
#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/frame/symmetric3.hpp"

namespace quartic {

/// Bits of BodyFlags.
inline constexpr std::uint32_t inverted_bit = 1;
inline constexpr std::uint32_t strained_bit = 2;

template <class T>
[[nodiscard]] QUARTIC_HD inline bool is_positive_definite(const frame::Symmetric3<T>& a) {
  const T minor = a.xx * a.yy - a.xy * a.xy;
  const T determinant = a.zz * minor - a.xx * a.yz * a.yz - a.yy * a.xz * a.xz + 2 * (a.xy * a.xz * a.yz);
  return a.xx > 0 && minor > 0 && determinant > 0;
}

/// s C + d I
template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Symmetric3<T> shifted(const frame::Symmetric3<T>& c, T s, T d) {
  return {s * c.xx + d, s * c.yy + d, s * c.zz + d, s * c.yz, s * c.xz, s * c.xy};
}

/// @param g du/dX, row by row. What isn't a number is out of range, too
template <class T>
[[nodiscard]] QUARTIC_HD inline std::uint32_t range_bits(const T (&g)[9]) {
  const T f[9] = {1 + g[0], g[1], g[2], g[3], 1 + g[4], g[5], g[6], g[7], 1 + g[8]};
  const T determinant =
      f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
  const auto product = [&](int i, int j) { return f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j]; };
  const frame::Symmetric3<T> c{product(0, 0), product(1, 1), product(2, 2),
                               product(1, 2), product(0, 2), product(0, 1)};
  const bool fits = is_positive_definite(shifted(c, T{1}, -T{1} / 3)) && is_positive_definite(shifted(c, T{-1}, T{3}));
  return (determinant > 0 ? 0U : inverted_bit) | (fits ? 0U : strained_bit);
}

}  // namespace quartic
