// Half precision (binary16) as a type of numbers in files.
#pragma once

#include <cstdint>

#include "core/base/half.hpp"

namespace quartic::io {

struct Half {
  std::uint16_t bits = 0;
};

/// Rounded to the nearest number of half precision, ties to even. Beyond 65504 by more than half a step: infinity.
[[nodiscard]] constexpr Half to_half(double value) {
  return {half_bits(value)};
}

[[nodiscard]] constexpr double from_half(Half half) {
  return half_value(half.bits);
}

}  // namespace quartic::io
