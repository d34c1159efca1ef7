#include "cli/options/arguments.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace quartic::cli {

namespace {

std::string& stored_command_line() {
  static std::string line;
  return line;
}

/// Cut short, with what a terminal would obey replaced: it may be from any file.
std::string quote(std::string_view text) {
  constexpr std::size_t limit = 40;
  std::string result = "'";
  for (const char c : text.substr(0, limit)) result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > limit ? "...'" : "'");
}

double parse_number(const std::string& option, std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw UsageError(option + ": " + quote(text) + " is not a number");
  return value;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    numbers.push_back(parse_number(option, rest.substr(0, comma)));
    if (comma == std::string_view::npos) return numbers;
    rest.remove_prefix(comma + 1);
  }
}

Backend parse_backend(const std::string& name) {
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    if (name == backend_name(backend)) return backend;
  throw UsageError("--backend is cpu or cuda, not '" + name + "'");
}

void remember_command_line(int argument_count, const char* const* arguments) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string& line = stored_command_line();
  line = "quartic";
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view argument = arguments[i];
    line += ' ';
    if (!argument.empty() && argument.find_first_not_of(harmless) == std::string_view::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
}

const std::string& command_line() {
  return stored_command_line();
}

}  // namespace quartic::cli
