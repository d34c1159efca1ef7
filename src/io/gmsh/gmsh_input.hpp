// Where the numbers of a Gmsh file come from: lines of text, or binary data. Both have the same functions, so that the
// reader's text stands once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "io/text/binary_values.hpp"
#include "io/text/text.hpp"
#include "io/text/text_rows.hpp"

namespace quartic::io {

class GmshText {
 public:
  explicit GmshText(TextRows& rows) : rows_(&rows) {}

  /// Goes on to the row that should have `what`.
  void begin_row(const What& what) {
    if (!rows_->next_row()) fail("the file ends where " + what.string() + " should be (is it cut short?)");
    if (rows_->first_character() == '$')
      fail(quote(rows_->row()) + " comes where " + what.string() + " should be: lines are missing");
  }
  /// The row is at its end: a cell has all its nodes.
  void end_cell(std::int64_t id, std::string_view name, int nodes) {
    if (const auto more = rows_->field(); !more.empty())
      fail("element " + std::to_string(id) + " (" + std::string(name) + ") has more than " + std::to_string(nodes) +
           " nodes: " + quote(more));
  }
  /// A row's next integers, 32 or 64 bits in binary files.
  void integers(std::span<std::int64_t> values, bool /*wide*/, const What& what) {
    if (rows_->take_naturals(values)) return;
    for (std::int64_t& value : values) value = rows_->integer(what);
  }
  // The next lines at once, as TextRows has it.
  [[nodiscard]] bool may_take_lines(std::int64_t count, std::size_t width) const {
    return rows_->may_take_lines(count, width);
  }
  template <class Number, class Use>
  bool take_lines(std::int64_t count, std::size_t width, const Use& use) {
    return rows_->take_lines<Number>(count, width, use);
  }
  std::int64_t integer(const What& what) { return rows_->integer(what); }       ///< 32 bits in binary files
  std::int64_t wide_integer(const What& what) { return rows_->integer(what); }  ///< 64 bits
  double number(const What& what) { return rows_->number(what); }
  void skip_numbers(std::int64_t /*count*/) {}  ///< at a row's end
  void skip_integers(std::int64_t /*count*/) {}
  /// Of `count` things that are announced, as many as the rest of the file can hold: a line of each takes this much.
  std::size_t possible(std::int64_t count, std::size_t /*bytes_each*/, const char* /*what*/) const {
    constexpr std::size_t shortest_line = 8;
    return std::min(static_cast<std::size_t>(count), rows_->remaining() / shortest_line);
  }
  [[noreturn]] void fail(const std::string& what) const { rows_->fail(what); }
  [[noreturn]] void fail_lines_back(std::int64_t lines, const std::string& what) const {
    rows_->fail_lines_back(lines, what);
  }

 private:
  TextRows* rows_;
};

class GmshBinary {
 public:
  GmshBinary(TextRows& rows, BinaryValues values) : rows_(&rows), values_(std::move(values)) {}
  GmshBinary(const GmshBinary&) = delete;
  GmshBinary& operator=(const GmshBinary&) = delete;
  ~GmshBinary() { rows_->go_to(values_.offset()); }

  void begin_row(const What& /*what*/) {}
  void end_cell(std::int64_t /*id*/, std::string_view /*name*/, int /*nodes*/) {}
  void integers(std::span<std::int64_t> values, bool wide, const What& what) {
    for (std::int64_t& value : values) value = wide ? wide_integer(what) : integer(what);
  }
  [[nodiscard]] bool may_take_lines(std::int64_t /*count*/, std::size_t /*width*/) const { return false; }
  template <class Number, class Use>
  bool take_lines(std::int64_t /*count*/, std::size_t /*width*/, const Use& /*use*/) {
    return false;
  }
  std::int64_t integer(const What& what) { return values_.next<std::int32_t>(what.text); }
  std::int64_t wide_integer(const What& what) {
    const auto value = values_.next<std::uint64_t>(what.text);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      fail(what.string() + " is out of range");
    return static_cast<std::int64_t>(value);
  }
  double number(const What& what) { return values_.next<double>(what.text); }
  void skip_numbers(std::int64_t count) { skip(count, sizeof(double)); }
  void skip_integers(std::int64_t count) { skip(count, sizeof(std::int32_t)); }
  /// @throws ParseError if the rest of the file can't hold that many
  std::size_t possible(std::int64_t count, std::size_t bytes_each, const char* what) const {
    values_.require(count, bytes_each, what);
    return static_cast<std::size_t>(count);
  }
  [[noreturn]] void fail(const std::string& what) const { values_.fail(what); }
  [[noreturn]] void fail_lines_back(std::int64_t /*lines*/, const std::string& what) const { values_.fail(what); }

 private:
  void skip(std::int64_t count, std::uint64_t bytes_each) {
    values_.require(count, bytes_each, "numbers");
    (void)values_.skip(static_cast<std::uint64_t>(count) * bytes_each, "numbers");
  }

  TextRows* rows_;
  BinaryValues values_;
};

}  // namespace quartic::io
