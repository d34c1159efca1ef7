#include "cli/worlds/located_json.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

/// Where in a text a parser is. A line begins with the character behind the line's end: parsers look one ahead.
struct TextLine {
  int number = 1;
  bool ends = false;
};

/// Characters of a text, which count the lines that they have come by.
struct CountedText {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  TextLine* line = nullptr;

  reference operator*() const { return *at; }
  CountedText& operator++() {
    if (line->ends) ++line->number;
    line->ends = *at++ == '\n';
    return *this;
  }
  CountedText operator++(int) {
    CountedText before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedText& other) const { return at == other.at; }
};

/// Notes the line of each value, by its path.
class LineNotes final : public json::json_sax_t {
 public:
  LineNotes(const TextLine& line, std::map<std::string, int, std::less<>>& lines) : line_(line), lines_(lines) {}

  bool null() override { return note(); }
  bool boolean(bool) override { return note(); }
  bool number_integer(json::number_integer_t) override { return note(); }
  bool number_unsigned(json::number_unsigned_t) override { return note(); }
  bool number_float(json::number_float_t, const std::string&) override { return note(); }
  bool string(std::string&) override { return note(); }
  bool binary(json::binary_t&) override { return note(); }
  bool start_object(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    levels_.back().key = name;
    if (!lines_.emplace(path(), line_.number).second)
      throw InputError("line " + std::to_string(line_.number) + ": the key '" + path() + "' is there twice");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    throw InputError("line " + std::to_string(line_.number) + ": " + error.what());
  }

 private:
  struct Level {
    bool is_array;
    std::int64_t next;
    std::string key;
  };

  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Level& level : levels_)
      path += (path.empty() ? "" : "/") + (level.is_array ? std::to_string(level.next) : level.key);
    return path;
  }
  bool note() {
    if (levels_.empty() || !levels_.back().is_array) return true;  // of a key, which is noted
    lines_.emplace(path(), line_.number);
    ++levels_.back().next;
    return true;
  }
  bool open(bool is_array) {
    if (!levels_.empty() && levels_.back().is_array) lines_.emplace(path(), line_.number);
    levels_.push_back({is_array, 0, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().next;
    return true;
  }

  const TextLine& line_;
  std::map<std::string, int, std::less<>>& lines_;
  std::vector<Level> levels_;
};

}  // namespace

LocatedJson::LocatedJson(const std::filesystem::path& path) : path_(path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string() + ": can't be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  TextLine line;
  LineNotes notes(line, lines_);
  try {
    json::sax_parse(CountedText{text.data(), &line}, CountedText{text.data() + text.size(), &line}, &notes);
  } catch (const InputError& error) {
    throw InputError(path.string() + ", " + error.what());
  }
  root_ = json::parse(text);
}

void LocatedJson::Place::fail(const std::string& what) const {
  std::string place = file_->path_.string();
  if (const auto found = file_->lines_.find(path_); found != file_->lines_.end())
    place += ", line " + std::to_string(found->second);
  throw InputError(place + ": " + (path_.empty() ? "" : path_ + ": ") + what);
}

LocatedJson::Place LocatedJson::Place::at(const std::string& key) const {
  if (!has(key)) fail("needs the key '" + key + "'");
  return {*file_, value_->at(key), path_.empty() ? key : path_ + "/" + key};
}

void LocatedJson::Place::require_keys(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) fail("must be an object, in braces");
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string known;
    for (const std::string_view name : keys) known += (known.empty() ? "" : ", ") + std::string(name);
    at(key).fail("there is no such key; known are " + known);
  }
}

std::vector<LocatedJson::Place> LocatedJson::Place::elements() const {
  if (!value_->is_array()) fail("must be an array, in brackets");
  std::vector<Place> places;
  for (std::size_t n = 0; n < value_->size(); ++n)
    places.push_back(Place{*file_, value_->at(n), (path_.empty() ? "" : path_ + "/") + std::to_string(n)});
  return places;
}

std::string LocatedJson::Place::text() const {
  if (!value_->is_string()) fail("must be a text, in quotes");
  return value_->get<std::string>();
}

double LocatedJson::Place::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) fail("must be a finite number");
  return value_->get<double>();
}

std::int64_t LocatedJson::Place::integer(std::int64_t least) const {
  if (!value_->is_number_integer() || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > 1000000000)
    fail("must be a whole number from " + std::to_string(least) + " to 1000000000");
  return value_->get<std::int64_t>();
}

std::vector<double> LocatedJson::Place::numbers(std::size_t count) const {
  const std::vector<Place> all = elements();
  if (all.size() != count) fail("must be " + std::to_string(count) + " numbers, not " + std::to_string(all.size()));
  std::vector<double> numbers;
  for (const Place& place : all) numbers.push_back(place.number());
  return numbers;
}

}  // namespace quartic::cli
