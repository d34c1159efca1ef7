#include "io/abaqus_deck/abaqus_deck.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// Cuts off the text before the next of these characters outside of quotation marks, and the character.
std::string_view cut(std::string_view& rest, char separator) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_quoted || rest[end] != separator); ++end)
    if (rest[end] == '"') is_quoted = !is_quoted;
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(piece);
}

// A row of numbers below a keyword line with a comma too many isn't its continuation.
bool continues_keyword(std::string_view line) {
  const char first = upper(line.front());
  return (first >= 'A' && first <= 'Z') || first == '"';
}

}  // namespace

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::string abaqus_key(std::string_view name) {
  std::string key(name);
  std::transform(key.begin(), key.end(), key.begin(), upper);
  return key;
}

std::string abaqus_keyword(std::string_view text) {
  std::string key = abaqus_key(text);
  key.erase(std::remove_if(key.begin(), key.end(), [](char c) { return c == ' ' || c == '\t'; }), key.end());
  return key;
}

const std::string* Keyword::find(std::string_view parameter) const {
  for (const auto& [key, value] : parameters)
    if (key == parameter) return &value;
  return nullptr;
}

bool DataFields::next(std::string_view& field) {
  if (is_at_end_) return false;
  const void* const comma = std::memchr(rest_.data(), ',', rest_.size());
  has_comma_ = comma != nullptr;
  const std::size_t end =
      has_comma_ ? static_cast<std::size_t>(static_cast<const char*>(comma) - rest_.data()) : rest_.size();
  field = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(has_comma_ ? end + 1 : end);
  // Lines are trimmed: what follows the last comma is a field or nothing.
  is_at_end_ = rest_.empty();
  ++count_;
  return true;
}

bool Deck::next_data(std::string_view& line) {
  while (!has_pending_ && lines_.next(line)) {
    if (line.front() != '*') return true;
    if (line.starts_with("**")) continue;
    read_keyword(line);
    if (pending_.name != "INCLUDE") {
      has_pending_ = true;
      break;
    }
    lines_.include(required(pending_, "INPUT"));
  }
  return false;
}

bool Deck::next_keyword(Keyword& keyword) {
  std::string_view line;
  while (next_data(line)) {
  }
  if (!has_pending_) return false;
  keyword = std::move(pending_);
  has_pending_ = false;
  return true;
}

void Deck::read_keyword(std::string_view line) {
  pending_ = Keyword();
  pending_.place = lines_.place();
  std::string joined(line);
  std::string_view further;
  while (joined.ends_with(',') && lines_.peek(further) && continues_keyword(further)) {
    lines_.next(further);
    joined += further;
  }
  if (std::count(joined.begin(), joined.end(), '"') % 2 != 0)
    fail("the quotation marks in " + quote(line) + " don't match");
  std::string_view rest = joined;
  pending_.shown = cut(rest, ',');
  pending_.name = abaqus_keyword(std::string_view(pending_.shown).substr(1));
  while (!rest.empty()) {
    std::string_view value = cut(rest, ',');
    if (value.empty()) continue;
    const std::string name = abaqus_keyword(cut(value, '='));
    pending_.parameters.emplace_back(name, unquoted(trimmed(value)));
  }
}

const std::string& Deck::required(const Keyword& keyword, std::string_view parameter) const {
  const std::string* const value = keyword.find(parameter);
  if (value == nullptr || value->empty())
    fail(keyword.place, keyword.shown + " needs " + std::string(parameter) + "=...");
  return *value;
}

double Deck::number(std::string_view field, const std::string& what) const {
  const auto value = field.empty() ? 0 : parse_number(field);
  if (!value) fail(what + ": " + quote(field) + " is not a number");
  return *value;
}

}  // namespace quartic::io
