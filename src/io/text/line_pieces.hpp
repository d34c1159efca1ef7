// Tables of numbers in text, a row per line, parted into pieces that threads read on their own.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/text/digits.hpp"
#include "io/text/text.hpp"

namespace quartic::io {

/// Below, threads aren't worth it.
inline constexpr std::int64_t fewest_lines_for_threads = 4096;

/// Whole lines, each ended by LF or CRLF.
struct LinePiece {
  const char* begin;
  const char* end;
  std::int64_t first_line;  ///< lines before the piece
};

/// The first `count` lines behind `begin`, or no pieces if there are fewer, they are too few for threads, or
/// too long for `width` numbers each.
[[nodiscard]] std::vector<LinePiece> pieces_of_lines(const char* begin, const char* end, std::int64_t count,
                                                     std::size_t width);

namespace detail {

inline bool take_number(const char*& position, const char* end, std::int64_t& value) {
  return take_digits(position, end, value);
}
inline bool take_number(const char*& position, const char* end, double& value) {
  while (*position == ' ' || *position == '\t') ++position;
  const auto [stop, error] = std::from_chars(position, end, value);
  position = stop;
  return error == std::errc() && std::isfinite(value);
}

}  // namespace detail

/// Calls use(line, numbers) for each line as long as it says true, if they consist of `width` numbers parted by blanks
/// and tabs; false as soon as one doesn't.
/// @param end of the whole text, which a zero follows
template <class Number, class Use>
bool for_each_line(const LinePiece& piece, const char* end, std::size_t width, const Use& use) {
  std::array<Number, 32> numbers;
  if (width > numbers.size()) return false;
  std::int64_t line = piece.first_line;
  for (const char* p = piece.begin; p != piece.end; ++p, ++line) {
    for (std::size_t n = 0; n < width; ++n)
      if (!detail::take_number(p, end, numbers[n]) || !is_white(*p)) return false;
    while (*p == ' ' || *p == '\t') ++p;
    if (*p == '\r') ++p;
    if (*p != '\n' || !use(line, numbers.data())) return false;
  }
  return true;
}

}  // namespace quartic::io
