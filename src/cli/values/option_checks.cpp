#include "cli/values/option_checks.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace quartic::cli {
namespace {

// NaN, which is neither above nor below anything, for what isn't a number.
double number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

CLI::Validator check(const char* rule, bool (*good)(double)) {
  return CLI::Validator(
      [=](std::string& text) {
        return good(number(text)) ? std::string() : "needs a number " + std::string(rule) + ", not '" + text + "'";
      },
      rule);
}

}  // namespace

CLI::Validator positive_number() {
  return check("above 0", [](double value) { return value > 0; });
}

CLI::Validator non_negative_number() {
  return check("of 0 or above", [](double value) { return value >= 0; });
}

CLI::Validator finite_number() {
  return check("that is finite", [](double value) { return !std::isnan(value); });
}

CLI::Validator unsigned_number() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        return whole ? std::string() : "needs a whole number from 0 to 2^64 - 1, not '" + text + "'";
      },
      "whole");
}

CLI::Validator given() {
  return CLI::Validator([](const std::string& text) { return text.empty() ? "it has no numbers" : std::string(); }, "");
}

}  // namespace quartic::cli
