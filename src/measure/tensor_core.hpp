// How a tensor core sums products of TF32 numbers, bit by bit, on the host.
//
// NVIDIA doesn't say; experiments do (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores",
// PeerJ Computer Science 7, 2021): products are exact, terms are cut off at one place below the last bit of the
// largest, and the sum is cut off to float. We take four products at a time, as on an A100; later cards take more,
// which is no worse.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace quartic::measure {

/// The nearest number of 11 significant bits, halves away from zero.
[[nodiscard]] inline float round_to_tf32(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & 0xFFFFE000U);
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

/// c + a . b over eight monomials, as one instruction computes an entry.
[[nodiscard]] inline float add_tf32_products(float c, const float (&a)[8], const float (&b)[8]) {
  for (int half = 0; half < 8; half += 4) {
    double products[4];
    for (int k = 0; k < 4; ++k) products[k] = double{a[half + k]} * double{b[half + k]};
    c = add_products(c, products);
  }
  return c;
}

}  // namespace quartic::measure
