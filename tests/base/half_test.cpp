// Half precision against the compiler's.
#include "core/base/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace quartic {
namespace {

/// The number that the bits mean, by the standard's formula.
double meaning(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(Half, ValuesAreTheStandardsAndComeBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = meaning(half);
    const float value = half_value(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(meaning(half_bits(value))));
      continue;
    }
    ASSERT_EQ(double{value}, expected) << bits;
    ASSERT_EQ(half_bits(value), half) << bits;
  }
}

// Between two halves the nearer one, in the middle the even one.
TEST(Half, RoundsToNearest) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = meaning(bits), high = meaning(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);  // exact
    const std::uint16_t even = (bits & 1) == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(half_bits(middle), even) << bits;
    ASSERT_EQ(half_bits(-middle), even | 0x8000) << bits;
    ASSERT_EQ(half_bits(std::nextafter(middle, 0.0F)), bits);
    ASSERT_EQ(half_bits(std::nextafter(middle, 1e9F)), bits + 1);
  }
  EXPECT_EQ(half_bits(65519.996F), 0x7bff);
  EXPECT_EQ(half_bits(65520.0F), 0x7c00);
  EXPECT_EQ(half_bits(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(half_bits(1e-30F), 0);
}

// A double goes to its nearest half at once: by way of the nearest float it would end at the even one here and there.
TEST(Half, DoublesAreRoundedOnce) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double middle = (meaning(bits) + meaning(static_cast<std::uint16_t>(bits + 1))) / 2;
    const std::uint16_t even = (bits & 1) == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(half_bits(middle), even) << bits;
    ASSERT_EQ(half_bits(-middle), even | 0x8000) << bits;
    ASSERT_EQ(half_bits(std::nextafter(middle, 0.0)), bits);
    ASSERT_EQ(half_bits(std::nextafter(middle, 1e9)), bits + 1);
  }
  EXPECT_EQ(half_bits(std::nextafter(65520.0, 0.0)), 0x7bff);
  EXPECT_EQ(half_bits(1e300), 0x7c00);
  EXPECT_EQ(half_bits(-std::numeric_limits<double>::infinity()), 0xfc00);
  EXPECT_EQ(half_bits(1e-300), 0);
  EXPECT_EQ(half_bits(-1e-300), 0x8000);
  EXPECT_TRUE(std::isnan(meaning(half_bits(std::nan("")))));
}

}  // namespace
}  // namespace quartic
