// Names and keywords whose case doesn't matter, whatever the locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace quartic {

/// Of an ASCII letter; other characters stay.
[[nodiscard]] constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// True if both are equal but for the case of ASCII letters.
[[nodiscard]] inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

[[nodiscard]] inline bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && equal_ignoring_case(text.substr(0, start.size()), start);
}

}  // namespace quartic
