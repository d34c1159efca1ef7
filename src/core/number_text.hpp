// Numbers in messages.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace quartic {

/// The number with so many significant digits, without trailing zeros, whatever the locale.
[[nodiscard]] inline std::string number_text(double value, int digits) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), result.ptr};
}

}  // namespace quartic
