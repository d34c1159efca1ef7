// Text files in memory: whole-file reading, lines, fields and numbers. Nothing here depends on the process's locale.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/letters.hpp"

namespace quartic::io {

/// The bytes of a file. @throws FileError that names the path if it is missing, a folder, a device or unreadable
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// "'text'" for messages: cut short, with control characters replaced.
[[nodiscard]] std::string quote(std::string_view text);

/// A decimal integer with optional sign, the whole field or nothing.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view field);

/// A finite decimal number, the whole field or nothing. Fortran's `1.0D+00` counts; numbers too small for a double
/// are 0.
[[nodiscard]] std::optional<double> parse_number(std::string_view field);

/// The shortest text that reads back as the same double.
[[nodiscard]] std::string format_number(double value);

/// Appends the shortest text that reads back as the same float.
void append_number(std::string& text, float value);

/// The text without blanks, tabs and the like at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// For formats that announce no counts: a file that is cut short often ends so.
inline constexpr const char* unfinished_line_warning =
    "the last line isn't ended, and may be cut: look whether the file is complete";
[[nodiscard]] inline bool ends_within_line(std::string_view content) {
  return !content.empty() && content.back() != '\n' && content.back() != '\r';
}

/// Blanks, tabs and line ends.
[[nodiscard]] inline bool is_white(char c) {
  return c == ' ' || static_cast<unsigned>(c - '\t') <= '\r' - '\t';
}

/// Whether a name is one of a table's.
template <class Names>
[[nodiscard]] bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Splits a line at blanks, tabs and commas; several in a row count as one.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  /// The next field; empty at the end of the line.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// Walks over the lines of a text that carry something: comments (from `#` to the end of the line, in formats that have
/// them) and blank lines are passed over. Lines end with LF, CRLF or CR; a UTF-8 byte order mark at the start is
/// ignored.
class Lines {
 public:
  /// @param text must outlive this object
  explicit Lines(std::string_view text, bool has_comments = true);
  /// Moves to the next line that carries something, trimmed; false at the end of the text.
  bool next(std::string_view& line);
  /// 1-based number of the line that `next` gave last.
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  const char* position_;
  const char* end_;
  bool has_comments_;
  std::int64_t number_ = 0;
};

}  // namespace quartic::io
