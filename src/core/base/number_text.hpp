// Numbers in messages.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace quartic {

/// The number with so many significant digits, without trailing zeros, whatever the locale.
[[nodiscard]] inline std::string number_text(double value, int digits) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), result.ptr};
}

/// "1 element is", "5 elements are"
[[nodiscard]] inline std::string counted(std::int64_t count, const std::string& noun, const char* one,
                                         const char* many) {
  return std::to_string(count) + " " + noun + (count == 1 ? " " : "s ") + (count == 1 ? one : many);
}

}  // namespace quartic
