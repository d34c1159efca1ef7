#include "io/text/text_rows.hpp"

#include <algorithm>

#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {

TextRows::TextRows(const MeshFile& file)
    : name_(file.path.string()),
      start_(file.content.data()),
      end_(start_ + file.content.size()),
      position_(start_),
      row_(start_) {
  if (file.content.starts_with("\xEF\xBB\xBF")) position_ += 3;
}

std::string_view TextRows::row() const {
  const char* stop = row_;
  while (stop != end_ && *stop != '\n' && *stop != '\r') ++stop;
  return trimmed({row_, static_cast<std::size_t>(stop - row_)});
}

std::int64_t TextRows::integer_of(std::string_view field, const What& what) const {
  if (field.empty()) fail("the line ends before " + what.string());
  const auto value = parse_integer(field);
  if (!value) fail(what.string() + " should be an integer, not " + quote(field));
  return *value;
}

double TextRows::number(const What& what) {
  const auto text = field();
  const auto value = parse_number(text);
  if (value) return *value;
  if (text.empty()) fail("the line ends before " + what.string());
  fail(what.string() + " should be a number, not " + quote(text));
}

std::size_t TextRows::offset_behind_row() const {
  // Data may begin with a byte that looks like a line feed, so that the first line decides what ends one.
  const auto* first = std::find_if(start_, end_, [](char c) { return c == '\n' || c == '\r'; });
  const char line_end = first != end_ && *first == '\r' && behind_line_end(first) == first + 1 ? '\r' : '\n';
  const char* stop = std::find(position_, end_, line_end);
  return static_cast<std::size_t>(stop - start_) + (stop == end_ ? 0 : 1);
}

void TextRows::go_to(std::size_t offset) {
  position_ = start_ + offset;
  in_row_ = false;
  has_lines_ = false;
}

void TextRows::fail_lines_back(std::int64_t lines, const std::string& what) const {
  if (has_lines_) throw ParseError(name_, line_ - lines, what);
  throw ParseError(name_, 0, "byte " + std::to_string(row_ - start_) + ": " + what);
}

}  // namespace quartic::io
