// The rows of a text file and their fields, in one pass: for formats with a line per vertex or element, where large
// files should be read as quickly as memory allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/mesh_format.hpp"
#include "io/text.hpp"

namespace quartic::io {

/// What a number is, for messages. The text is put together only when it is needed.
struct What {
  // NOLINTNEXTLINE(google-explicit-constructor): so that text alone will do
  constexpr What(const char* words) : text(words) {}
  constexpr What(const char* words, std::int64_t number) : text(words), id(number), has_id(true) {}
  /// "a node of element 17"
  [[nodiscard]] std::string string() const { return has_id ? text + (" " + std::to_string(id)) : text; }

  const char* text;
  std::int64_t id = 0;
  bool has_id = false;
};

/// Walks over the lines that carry something, and over their fields, parted by blanks and tabs. Lines end with LF, CRLF
/// or CR; a UTF-8 byte order mark at the start is ignored.
class TextRows {
 public:
  /// @param file must outlive this object and not change
  explicit TextRows(const MeshFile& file);

  /// Goes to the next line that carries something, whatever is left of this one; false at the end of the file.
  bool next_row() {
    if (in_row_) {
      while (!at_line_end()) ++position_;
      in_row_ = false;
    }
    while (true) {
      skip_blanks();
      row_ = position_;
      if (position_ == end_) return false;
      if (!at_line_end()) return in_row_ = true;
      take_line_end();
    }
  }
  /// What the line begins with.
  [[nodiscard]] char first_character() const { return *row_; }
  /// The whole line, trimmed.
  [[nodiscard]] std::string_view row() const;

  /// The next field, or an empty one at the end of the line.
  std::string_view field() {
    skip_blanks();
    const char* begin = position_;
    while (position_ != end_ && !is_white(*position_)) ++position_;
    return {begin, static_cast<std::size_t>(position_ - begin)};
  }
  // The next field as a number. @throws ParseError that names it
  std::int64_t integer(const What& what) {
    std::int64_t value = 0;
    return take_digits(position_, value) ? value : integer_of(field(), what);
  }
  std::int64_t natural(const What& what) {
    const std::int64_t value = integer(what);
    if (value < 0) fail(what.string() + " should not be negative");
    return value;
  }
  double number(const What& what);
  /// The next fields, as many as `values` holds, if all are plain digits; else false, and nothing is taken.
  bool take_naturals(std::span<std::int64_t> values) {
    const char* position = position_;
    for (std::int64_t& value : values)
      if (!take_digits(position, value)) return false;
    position_ = position;
    return true;
  }

  /// Where the data behind this line start, for files that go on in binary form.
  [[nodiscard]] std::size_t offset_behind_row() const;
  /// Goes on from there. Lines have no numbers from then on.
  void go_to(std::size_t offset);
  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - position_); }

  /// @throws ParseError with file and line, or byte
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[nodiscard]] bool at_line_end() const { return position_ == end_ || *position_ == '\n' || *position_ == '\r'; }
  void skip_blanks() {
    while (*position_ == ' ' || (is_white(*position_) && *position_ != '\n' && *position_ != '\r')) ++position_;
  }
  void take_line_end() {
    position_ += *position_ == '\r' && end_ - position_ > 1 && position_[1] == '\n' ? 2 : 1;
    ++line_;
  }
  // Digits, as nearly all fields of large files are, without a second look at them. What ends the content stops the
  // loops, too: std::string has a zero there.
  static bool take_digits(const char*& position, std::int64_t& value) {
    const char* p = position;
    while (*p == ' ' || *p == '\t') ++p;
    const char* const begin = p;
    std::uint64_t sum = 0;
    for (unsigned digit = 0; (digit = static_cast<unsigned>(*p - '0')) < 10; ++p) sum = 10 * sum + digit;
    constexpr std::ptrdiff_t safe_digits = 18;
    if (p == begin || p - begin > safe_digits || !(is_white(*p) || *p == '\0')) return false;
    position = p;
    value = static_cast<std::int64_t>(sum);
    return true;
  }
  [[nodiscard]] std::int64_t integer_of(std::string_view field, const What& what) const;

  std::string name_;
  const char* start_;
  const char* end_;
  const char* position_;
  const char* row_;
  bool in_row_ = false;
  std::int64_t line_ = 1;
  bool has_lines_ = true;
};

}  // namespace quartic::io
