// Values on the command line.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "quartic/backend.hpp"

namespace quartic::cli {

/// The command line itself is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Splits `1,2.5,-3e2` at its commas into finite numbers. @throws UsageError that names the option
[[nodiscard]] std::vector<double> parse_numbers(const std::string& option, const std::string& text);

/// The same for a fixed count. @throws UsageError
template <std::size_t count>
[[nodiscard]] std::array<double, count> parse_numbers(const std::string& option, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(option, text);
  if (numbers.size() != count)
    throw UsageError(option + " takes " + std::to_string(count) + " numbers with commas between, not '" + text + "'");
  std::array<double, count> result{};
  for (std::size_t i = 0; i < count; ++i) result[i] = numbers[i];
  return result;
}

/// @throws UsageError unless the name is a backend's
[[nodiscard]] Backend parse_backend(const std::string& name);

/// The whole command line, as a shell would take it: how a model was made.
void remember_command_line(int argument_count, const char* const* arguments);
[[nodiscard]] const std::string& command_line();

}  // namespace quartic::cli
