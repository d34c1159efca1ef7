#include "io/text/half.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic::io {

namespace {
constexpr int fraction_bits = 10, least_exponent = -14, largest_exponent = 15;
constexpr std::uint16_t sign_bit = 0x8000, infinity_bits = 0x7C00, not_a_number_bits = 0x7E00;
}  // namespace

Half to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? sign_bit : std::uint16_t{0};
  const auto signed_bits = [sign](std::int64_t bits) { return Half{static_cast<std::uint16_t>(sign | bits)}; };
  const double size = std::abs(value);
  if (std::isnan(value)) return signed_bits(not_a_number_bits);
  if (size >= 0x1p16) return signed_bits(infinity_bits);
  if (size == 0) return signed_bits(0);
  // In units of the last place, which is the same for all numbers below the normal ones.
  const int exponent = std::max(std::ilogb(size), least_exponent);
  const auto units = std::llrint(std::ldexp(size, fraction_bits - exponent));  // ties to even by default
  // A normal number's leading bit adds one to the exponent, and so does a carry.
  return signed_bits((static_cast<std::int64_t>(exponent - least_exponent) << fraction_bits) + units);
}

double from_half(Half half) {
  const int exponent = (half.bits & ~sign_bit) >> fraction_bits, fraction = half.bits & ((1 << fraction_bits) - 1);
  const double sign = (half.bits & sign_bit) != 0 ? -1 : 1;
  if (exponent > largest_exponent - least_exponent + 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, least_exponent - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - 1 + least_exponent - fraction_bits);
}

}  // namespace quartic::io
