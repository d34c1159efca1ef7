// How a tensor core sums products of TF32 and bfloat16 numbers, bit by bit, on the host.
//
// NVIDIA doesn't say; experiments do (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores",
// PeerJ Computer Science 7, 2021): products are exact, terms are cut off at one place below the last bit of the
// largest, and the sum is cut off to float. We take four products at a time, as on an A100; later cards take more,
// which is no worse.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace quartic::measure {

/// The nearest number of 11 significant bits, halves away from zero.
[[nodiscard]] inline float round_to_tf32(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & 0xFFFFE000U);
}

/// The nearest number of 8 significant bits, halves to even.
[[nodiscard]] inline float round_to_bfloat16(float x) {
  if (!std::isfinite(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16U & 1U)) & 0xFFFF0000U);
}

[[nodiscard]] inline float cut_off_to_float(double x) {
  const auto rounded = static_cast<float>(x);
  return std::abs(double{rounded}) > std::abs(x) ? std::nextafter(rounded, 0.0F) : rounded;
}

/// c + the sum of four products.
[[nodiscard]] inline float add_products(float c, const double (&products)[4]) {
  double largest = std::abs(double{c});
  for (const double product : products) largest = std::max(largest, std::abs(product));
  const double plain = c + products[0] + products[1] + products[2] + products[3];
  if (largest == 0 || !std::isfinite(plain)) return static_cast<float>(plain);
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 24);
  double units = std::trunc(c / unit);
  for (const double product : products) units += std::trunc(product / unit);
  return cut_off_to_float(units * unit);
}

/// c + a . b over eight monomials on TF32, or 16 on bfloat16, as one instruction computes an entry.
template <std::size_t depth>
[[nodiscard]] float add_all_products(float c, const float (&a)[depth], const float (&b)[depth]) {
  for (std::size_t n = 0; n < depth; n += 4) {
    double products[4];
    for (std::size_t k = 0; k < 4; ++k) products[k] = double{a[n + k]} * double{b[n + k]};
    c = add_products(c, products);
  }
  return c;
}

}  // namespace quartic::measure
