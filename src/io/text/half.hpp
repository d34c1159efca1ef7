// IEEE half precision (binary16), for files.
#pragma once

#include <cstdint>

namespace quartic::io {

struct Half {
  std::uint16_t bits = 0;
};

/// Rounded to the nearest number of half precision, ties to even. Beyond 65504 by more than half a step: infinity.
[[nodiscard]] Half to_half(double value);

[[nodiscard]] double from_half(Half half);

}  // namespace quartic::io
