// The words of a text file whose lines mean little: Medit, MFEM, VTK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/text/mesh_format.hpp"

namespace quartic::io {

/// Walks over a file's words, parted by white space, and knows the line of each for messages. Lines end with LF, CRLF
/// or CR; a UTF-8 byte order mark at the start is ignored. Binary data between the words can be taken with `bytes`.
class Words {
 public:
  /// @param file must outlive this object
  /// @param comment starts a comment up to the end of the line; '\0' if there are none
  Words(const MeshFile& file, char comment);

  /// The next word, or an empty one at the end of the file.
  std::string_view next();
  /// The same without going on.
  [[nodiscard]] std::string_view peek() const;
  /// What is left of the line after the last word, trimmed and without comment; goes on to the next line.
  std::string_view rest_of_line();

  /// What stands in the quotation marks that come next, blanks included; the next word where there are none.
  std::string_view quoted(std::string_view what);

  // The next word as a number. `what` names it in the message: "the number of vertices".
  std::int64_t integer(std::string_view what);
  std::int64_t count(std::string_view what);  ///< an integer from 0 on
  double number(std::string_view what);

  /// Takes `size` bytes after the line's end: those behind the first newline, or where the last word ended if another
  /// byte than white space stands before it.
  /// @throws ParseError with the byte offset if fewer remain
  std::string_view bytes(std::size_t size, std::string_view what);

  /// Bytes that are left, an upper bound for what a header can announce.
  [[nodiscard]] std::size_t remaining() const { return text_.size() - position_; }
  /// 1-based line of the last word.
  [[nodiscard]] std::int64_t line() const { return line_; }

  /// @throws ParseError with file, line and `what`
  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// Moves over white space and comments.
  void skip_blank();

  const MeshFile* file_;
  std::string_view text_;
  char comment_;
  std::size_t position_ = 0;
  std::int64_t position_line_ = 1;  // of `position_`
  std::int64_t line_ = 1;
};

}  // namespace quartic::io
