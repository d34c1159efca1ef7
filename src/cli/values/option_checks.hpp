// Checks of single options. CLI11's own ranges let NaN pass and spell out limits of 300 digits.
#pragma once

#include <CLI/CLI.hpp>

namespace quartic::cli {

/// A finite number above 0.
[[nodiscard]] CLI::Validator positive_number();
/// A finite number, 0 or above.
[[nodiscard]] CLI::Validator non_negative_number();
/// Neither infinite nor NaN.
[[nodiscard]] CLI::Validator finite_number();
/// A whole number from 0 to 2^64 - 1.
[[nodiscard]] CLI::Validator unsigned_number();
/// A text of numbers that isn't empty.
[[nodiscard]] CLI::Validator given();

}  // namespace quartic::cli
