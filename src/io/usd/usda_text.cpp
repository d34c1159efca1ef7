#include "io/usd/usda_text.hpp"

#include <algorithm>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::int64_t UsdaText::line() {
  for (; counted_ < position_; ++counted_)
    if (text_[counted_] == '\n' || (text_[counted_] == '\r' && text_.substr(counted_ + 1, 1) != "\n")) ++line_;
  return line_;
}

void UsdaText::skip_to(std::string_view end, std::string_view what) {
  const auto found = text_.find(end, position_);
  if (found == std::string_view::npos) fail(std::string(what) + " has no end (is the file cut short?)");
  position_ = found + end.size();
}

void UsdaText::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const auto next = text_.substr(position_, 2);
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      ++position_;
    } else if (c == '#' || next == "//") {
      position_ = std::min(text_.find_first_of("\r\n", position_), text_.size());
    } else if (next == "/*") {
      position_ += 2;
      skip_to("*/", "a comment");
    } else {
      return;
    }
  }
}

char UsdaText::peek() {
  skip_space();
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool UsdaText::take(char c) {
  if (peek() != c || position_ == text_.size()) return false;
  ++position_;
  return true;
}

void UsdaText::expect(char c, std::string_view what) {
  if (take(c)) return;
  if (position_ == text_.size())
    fail("the file ends where " + std::string(what) + " needs '" + c + "' (is it cut short?)");
  fail(std::string(what) + " needs '" + c + "' here, not " + quote(text_.substr(position_, 1)));
}

std::string_view UsdaText::word(std::string_view what) {
  skip_space();
  const std::size_t begin = position_;
  while (position_ < text_.size() && is_word_character(text_[position_])) ++position_;
  if (position_ == begin && begin == text_.size())
    fail("the file ends where " + std::string(what) + " should be (is it cut short?)");
  if (position_ == begin) fail(std::string(what) + " should be here, not " + quote(text_.substr(begin, 1)));
  return text_.substr(begin, position_ - begin);
}

// Words with colons between them.
std::string_view UsdaText::name(std::string_view what) {
  skip_space();
  const std::size_t begin = position_;
  (void)word(what);
  while (text_.substr(position_, 1) == ":" && position_ + 1 < text_.size() && is_word_character(text_[position_ + 1])) {
    ++position_;
    (void)word(what);
  }
  return text_.substr(begin, position_ - begin);
}

std::string UsdaText::string() {
  const char mark = peek();
  if (mark != '"' && mark != '\'') fail("a string in quotation marks should be here");
  const bool is_long = text_.substr(position_, 3) == std::string(3, mark);
  const std::string end(is_long ? 3 : 1, mark);
  position_ += end.size();
  std::string result;
  while (text_.substr(position_, end.size()) != end) {
    if (position_ < text_.size() && text_[position_] == '\\') ++position_;  // the character behind it as it is
    if (position_ >= text_.size() || (!is_long && text_[position_] == '\n')) fail("a string has no end");
    result += text_[position_++];
  }
  position_ += end.size();
  return result;
}

std::string_view UsdaText::asset() {
  const std::string_view mark = text_.substr(position_, 3) == "@@@" ? "@@@" : "@";
  position_ += mark.size();
  const std::size_t begin = position_;
  skip_to(mark, "a file's name");
  return text_.substr(begin, position_ - mark.size() - begin);
}

std::string_view UsdaText::path() {
  const std::size_t begin = position_;
  skip_to(">", "a path");
  return text_.substr(begin, position_ - begin);
}

// From an opening bracket to the one that closes it, whatever is between them.
void UsdaText::pass_over_brackets() {
  std::string open;
  do {
    const char c = peek();
    if (position_ == text_.size()) fail("a bracket isn't closed (is the file cut short?)");
    if (c == '"' || c == '\'') {
      (void)string();
    } else if (c == '@') {
      (void)asset();
    } else if (c == '(' || c == '[' || c == '{') {
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
      ++position_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.back() != c) fail(std::string("'") + c + "' closes a bracket that isn't open");
      open.pop_back();
      ++position_;
    } else {
      ++position_;
    }
  } while (!open.empty());
}

bool UsdaText::at_end() {
  skip_space();
  return position_ == text_.size();
}

bool UsdaText::take_at_once(char c) {
  if (position_ == text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

std::string_view UsdaText::field() {
  skip_space();
  const std::size_t begin = position_;
  position_ = std::min(text_.find_first_of(" \t\r\n,:;()[]{}#", position_), text_.size());
  return text_.substr(begin, position_ - begin);
}

}  // namespace quartic::io
