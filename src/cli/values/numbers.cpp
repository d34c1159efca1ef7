#include "cli/values/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace quartic::cli {

std::string significant(double value, int digits) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), result.ptr};
}

std::string seconds_text(double seconds) {
  if (seconds < 99.5) return significant(seconds, 2) + " s";
  const auto whole = static_cast<std::int64_t>(std::lround(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

}  // namespace quartic::cli
