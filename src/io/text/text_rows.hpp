// The rows of a text file and their fields, in one pass: for formats with a line per vertex or element, where large
// files should be read as quickly as memory allows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "io/text/digits.hpp"
#include "io/text/line_pieces.hpp"
#include "io/text/mesh_format.hpp"
#include "io/text/text.hpp"

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
    return take_natural(position_, value) ? value : integer_of(field(), what);
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
      if (!take_natural(position, value)) return false;
    position_ = position;
    return true;
  }

  /// Takes the next `count` lines with all threads, if all of them consist of `width` numbers: plain digits, or with
  /// Number = double finite ones. Otherwise, and where threads aren't worth it, nothing is taken.
  /// @param use is called by several threads as use(line, numbers), line = 0 .. count - 1, also if false comes of it;
  /// says whether it can use the numbers, and doesn't throw
  template <class Number, class Use>
  bool take_lines(std::int64_t count, std::size_t width, const Use& use);
  /// Whether there are enough lines for that, and not more than the rest of the file can hold: a number takes two bytes
  /// at least.
  [[nodiscard]] bool may_take_lines(std::int64_t count, std::size_t width) const {
    return count >= fewest_lines_for_threads && static_cast<std::size_t>(count) <= remaining() / (2 * width);
  }

  /// Where the data behind this line start, for files that go on in binary form. Lines end as the file's first does.
  [[nodiscard]] std::size_t offset_behind_row() const;
  /// Goes on from there. Lines have no numbers from then on.
  void go_to(std::size_t offset);
  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - position_); }

  /// @throws ParseError with file and line, or byte
  [[noreturn]] void fail(const std::string& what) const { fail_lines_back(0, what); }
  /// The same for a line that was taken that many lines ago.
  [[noreturn]] void fail_lines_back(std::int64_t lines, const std::string& what) const;

 private:
  [[nodiscard]] bool at_line_end() const { return position_ == end_ || *position_ == '\n' || *position_ == '\r'; }
  void skip_blanks() {
    while (*position_ == ' ' || (is_white(*position_) && *position_ != '\n' && *position_ != '\r')) ++position_;
  }
  /// @param at a line's end, but not the content's
  [[nodiscard]] const char* behind_line_end(const char* at) const {
    return at + (*at == '\r' && end_ - at > 1 && at[1] == '\n' ? 2 : 1);
  }
  void take_line_end() {
    position_ = behind_line_end(position_);
    ++line_;
  }
  /// Digits up to the end of their field.
  [[nodiscard]] bool take_natural(const char*& position, std::int64_t& value) const {
    const char* p = position;
    if (!take_digits(p, end_, value) || !(is_white(*p) || p == end_)) return false;
    position = p;
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

template <class Number, class Use>
bool TextRows::take_lines(std::int64_t count, std::size_t width, const Use& use) {
  const char* begin = position_;
  if (in_row_) {
    while (begin != end_ && *begin != '\n' && *begin != '\r') ++begin;
    if (begin != end_) begin = behind_line_end(begin);
  }
  const std::vector<LinePiece> pieces = pieces_of_lines(begin, end_, count, width);
  std::atomic<bool> all = !pieces.empty();
  parallel_for(std::ssize(pieces), [&](std::int64_t n) {
    const LinePiece& piece = pieces[static_cast<std::size_t>(n)];
    if (all && !for_each_line<Number>(piece, end_, width, use)) all = false;
  });
  if (!all) return false;
  line_ += count + (in_row_ ? 1 : 0);
  position_ = row_ = pieces.back().end;
  in_row_ = false;
  return true;
}

}  // namespace quartic::io
