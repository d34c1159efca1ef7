// The syntax of Abaqus and CalculiX input decks: keyword lines, data lines and *INCLUDE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/including_lines.hpp"
#include "io/text/mesh_format.hpp"

namespace quartic::io {

/// A name as decks compare it: in upper case.
[[nodiscard]] std::string abaqus_key(std::string_view name);
/// A keyword or parameter's name as decks compare it: in upper case, without blanks.
[[nodiscard]] std::string abaqus_keyword(std::string_view text);

/// The text without quotation marks round it.
[[nodiscard]] std::string_view unquoted(std::string_view text);

/// A line such as `*ELEMENT, TYPE=C3D4, ELSET=Body`, with the lines that continue it.
struct Keyword {
  std::string name;   ///< "SOLIDSECTION": in upper case, without blanks
  std::string shown;  ///< "*Solid Section": as written, for messages
  Place place;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< name as above, and value without quotation marks

  /// The value of a parameter ("" of one that stands alone), or null if it isn't given.
  [[nodiscard]] const std::string* find(std::string_view parameter) const;
};

/// The fields of a data line, which commas part. A last comma opens no further field.
class DataFields {
 public:
  explicit DataFields(std::string_view line) : rest_(line), is_at_end_(line.empty()) {}
  /// The next field, trimmed and perhaps empty; false at the end of the line.
  bool next(std::string_view& field);
  /// Number of fields taken so far.
  [[nodiscard]] int count() const { return count_; }
  /// True if the last field taken had a comma behind it.
  [[nodiscard]] bool ended_with_comma() const { return has_comma_; }

 private:
  std::string_view rest_;
  bool is_at_end_;
  bool has_comma_ = false;
  int count_ = 0;
};

/// Walks over a deck: keyword by keyword, and over the data lines of each.
class Deck {
 public:
  explicit Deck(const MeshFile& file) : lines_(file, false) {}

  /// The next keyword, beyond data lines that nobody took; false at the end of the deck.
  bool next_keyword(Keyword& keyword);
  /// The next data line under the current keyword; false where another keyword or the end comes. The line is valid
  /// until the next call.
  bool next_data(std::string_view& line);
  /// Takes the data lines under the current keyword from a file, as INPUT= asks.
  void include(const std::string& name) { lines_.include(name); }
  [[nodiscard]] std::vector<std::filesystem::path> included_files() const { return lines_.included_files(); }

  /// Of the last line.
  [[nodiscard]] Place place() const { return lines_.place(); }
  /// Upper bound for the number of rows of at least `bytes` bytes each that the deck and its files can have.
  [[nodiscard]] std::size_t possible_rows(std::size_t bytes) const { return lines_.possible_rows(bytes); }
  /// The file that was asked for, which may include others: file 0 of places.
  [[nodiscard]] const std::string& main_file() const { return lines_.main_file(); }
  /// "file:line" of a place.
  [[nodiscard]] std::string text(Place place) const { return lines_.text(place); }
  [[noreturn]] void fail(Place place, const std::string& what) const { lines_.fail(place, what); }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }
  [[noreturn]] void fail_whole_file(const std::string& what) const { lines_.fail_whole_file(what); }

  /// The value of a parameter that the keyword can't do without. @throws ParseError if there is none
  [[nodiscard]] const std::string& required(const Keyword& keyword, std::string_view parameter) const;
  /// The number in a field, 0 for an empty one. @throws ParseError that says what it is of
  [[nodiscard]] double number(std::string_view field, const std::string& what) const;

 private:
  void read_keyword(std::string_view line);

  IncludingLines lines_;
  Keyword pending_;
  bool has_pending_ = false;
};

}  // namespace quartic::io
