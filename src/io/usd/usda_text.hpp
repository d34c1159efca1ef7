// The words, strings and brackets of USD's text files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/text/mesh_format.hpp"
#include "quartic/error.hpp"

namespace quartic::io {

/// Walks over a file's text. Everything but `take_at_once` passes over white space and comments first (`#` and `//` to
/// the end of the line, between `/*` and `*/`). What is asked for and isn't there is a ParseError.
class UsdaText {
 public:
  /// @param file must outlive this object
  explicit UsdaText(const MeshFile& file)
      : name_(file.path.string()), text_(file.content), position_(text_.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  [[nodiscard]] bool at_end();
  /// The next character, which stays; '\0' at the end.
  [[nodiscard]] char peek();
  /// True if the next character is `c`, which is taken then.
  bool take(char c);
  /// The same without passing over anything before it.
  bool take_at_once(char c);
  /// @param what needs it, for the message
  void expect(char c, std::string_view what);

  /// Letters, digits and `_`.
  std::string_view word(std::string_view what);
  /// Words with colons between them.
  std::string_view name(std::string_view what);
  /// What comes up to white space or punctuation: a number, or what should be one.
  std::string_view field();
  /// What is in single or double quotation marks, of one line, or three of them, of several.
  std::string string();
  /// A file's name between `@` or `@@@`, without them.
  std::string_view asset();
  /// A path, with its angle brackets.
  std::string_view path();
  /// Passes over an opening bracket, whatever is in it, and the bracket that closes it.
  void pass_over_brackets();

  /// 1-based line of the place up to which the text is taken.
  [[nodiscard]] std::int64_t line();
  [[noreturn]] void fail(const std::string& what) { throw ParseError(name_, line(), what); }

 private:
  void skip_space();
  void skip_to(std::string_view end, std::string_view what);

  std::string name_;
  std::string_view text_;
  std::size_t position_;
  std::size_t counted_ = 0;  // up to here, `line_` has counted
  std::int64_t line_ = 1;
};

}  // namespace quartic::io
