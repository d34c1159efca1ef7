#include "io/text/words.hpp"

#include <algorithm>

#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

Words::Words(const MeshFile& file, char comment) : file_(&file), text_(file.content), comment_(comment) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

void Words::skip_blank() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n' || (c == '\r' && (position_ + 1 == text_.size() || text_[position_ + 1] != '\n'))) ++position_line_;
    if (is_white(c)) {
      ++position_;
    } else if (comment_ != '\0' && c == comment_) {
      while (position_ < text_.size() && !is_line_end(text_[position_])) ++position_;
    } else {
      return;
    }
  }
}

std::string_view Words::next() {
  skip_blank();
  const std::size_t begin = position_;
  while (position_ < text_.size() && !is_white(text_[position_]) && (comment_ == '\0' || text_[position_] != comment_))
    ++position_;
  line_ = position_line_;
  return text_.substr(begin, position_ - begin);
}

std::string_view Words::peek() const {
  return Words(*this).next();
}

std::string_view Words::rest_of_line() {
  const std::size_t begin = position_;
  std::size_t end = text_.find_first_of("\r\n", begin);
  if (end == std::string_view::npos) end = text_.size();
  position_ = end;  // the line's end is white space to what comes next
  std::string_view rest = text_.substr(begin, end - begin);
  if (comment_ != '\0') rest = rest.substr(0, rest.find(comment_));
  return trimmed(rest);
}

std::string_view Words::quoted(std::string_view what) {
  skip_blank();
  line_ = position_line_;
  if (position_ == text_.size()) fail("the file ends where " + std::string(what) + " should be (is it cut short?)");
  if (text_[position_] != '"') return next();
  const std::size_t begin = position_ + 1, end = text_.find_first_of("\"\r\n", begin);
  if (end == std::string_view::npos || text_[end] != '"') fail(std::string(what) + " has no second quotation mark");
  position_ = end + 1;
  return text_.substr(begin, end - begin);
}

std::int64_t Words::integer(std::string_view what) {
  const auto word = next();
  if (word.empty()) fail("the file ends where " + std::string(what) + " should be (is it cut short?)");
  const auto value = parse_integer(word);
  if (!value) fail(std::string(what) + " should be an integer, not " + quote(word));
  return *value;
}

std::int64_t Words::count(std::string_view what) {
  const auto value = integer(what);
  if (value < 0) fail(std::string(what) + " should not be negative");
  return value;
}

double Words::number(std::string_view what) {
  const auto word = next();
  if (word.empty()) fail("the file ends where " + std::string(what) + " should be (is it cut short?)");
  const auto value = parse_number(word);
  if (!value) fail(std::string(what) + " should be a number, not " + quote(word));
  return *value;
}

std::string_view Words::bytes(std::size_t size, std::string_view what) {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  if (text_.substr(position_).starts_with("\r\n")) ++position_;
  if (position_ < text_.size() && is_line_end(text_[position_])) ++position_, ++position_line_;
  if (size > remaining())
    throw ParseError(file_->path.string(), 0,
                     "byte " + std::to_string(position_) + ": " + std::string(what) + " needs " + std::to_string(size) +
                         " bytes, but only " + std::to_string(remaining()) + " remain (is the file cut short?)");
  const auto data = text_.substr(position_, size);
  position_ += size;
  position_line_ += std::count(data.begin(), data.end(), '\n');  // as an editor counts
  return data;
}

void Words::fail(const std::string& what) const {
  throw ParseError(file_->path.string(), line_, what);
}

}  // namespace quartic::io
