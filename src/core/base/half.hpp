// Half precision (IEEE 754 binary16) as 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace quartic {

/// Rounded to nearest, ties to even; what is beyond 65504 becomes infinite.
[[nodiscard]] constexpr std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t size = bits & 0x7fffffffU;
  if (size > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);  // not a number
  if (size >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (size < 0x33000001U) return sign;  // up to half of the smallest one
  std::uint32_t mantissa = size & 0x7fffffU, shift = 13, exponent = (size >> 23U) - 112;
  if (size < 0x38800000U) {  // subnormal
    mantissa |= 0x800000U;
    shift = 126 - (size >> 23U);
    exponent = 0;
  }
  const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1U << shift) - 1), half = 1U << (shift - 1);
  const std::uint32_t up = rest > half || (rest == half && (kept & 1U) != 0) ? 1 : 0;
  return static_cast<std::uint16_t>(sign | ((exponent << 10U) + kept + up));  // carries go into the exponent
}

/// The same of a number in double precision: rounded once.
[[nodiscard]] constexpr std::uint16_t half_bits(double value) {
  // What a float leaves of the number, with its last bit set where anything was left out, rounds as the number does.
  const auto nearest = static_cast<float>(value);
  const auto exact = static_cast<double>(nearest);
  if (exact == value || value != value) return half_bits(nearest);
  const bool beyond = value < 0 ? exact < value : exact > value;
  return half_bits(std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - (beyond ? 1 : 0)) | 1U));
}

/// Exact.
[[nodiscard]] constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U, exponent = (bits >> 10U) & 31U, mantissa = bits & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13U));
  if (exponent > 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23U) | (mantissa << 13U));
  const float size = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -size : size;
}

}  // namespace quartic
