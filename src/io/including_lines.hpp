// The lines of a VegaFEM file with those of the files that it includes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh_format.hpp"
#include "io/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {

/// A line of one of the files that are read.
struct Place {
  std::int32_t file = 0;
  std::int64_t line = 0;
};

/// The lines of a file with those of its *INCLUDEs in their places.
class IncludingLines {
 public:
  explicit IncludingLines(const MeshFile& file) { push(file.path, nullptr, file.content); }

  /// The next line, or false at the end.
  bool next(std::string_view& line) {
    if (std::exchange(pending_, false)) {
      line = last_;
      return true;
    }
    while (!stack_.empty()) {
      if (!stack_.back().lines.next(line)) {
        stack_.pop_back();
        continue;
      }
      if (equal_ignoring_case(Fields(line).next(), directive)) {
        include(trimmed(line.substr(directive.size())));
        continue;
      }
      last_ = line;
      place_ = {stack_.back().file, stack_.back().lines.number()};
      return true;
    }
    return false;
  }

  /// The next line if it belongs to the section, that is unless a directive starts there.
  bool next_in_section(std::string_view& line) {
    if (!next(line)) return false;
    pending_ = line.front() == '*';
    return !pending_;
  }

  [[nodiscard]] Place place() const { return place_; }
  /// Upper bound for the number of lines still to come that have at least `bytes` bytes each.
  [[nodiscard]] std::size_t possible_rows(std::size_t bytes) const { return bytes_ / bytes + 1; }

  /// "file:line" of a place.
  [[nodiscard]] std::string text(Place place) const {
    return names_[static_cast<std::size_t>(place.file)] + ":" + std::to_string(place.line);
  }
  [[noreturn]] void fail(Place place, const std::string& what) const {
    throw ParseError(names_[static_cast<std::size_t>(place.file)], place.line, what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail(place_, what); }
  [[noreturn]] void fail_whole_file(const std::string& what) const { throw ParseError(names_.front(), 0, what); }

 private:
  static constexpr std::string_view directive = "*INCLUDE";

  struct Source {
    std::filesystem::path path;
    std::unique_ptr<std::string> content;  // null for the outermost file, which the caller owns
    Lines lines;
    std::int32_t file;
  };

  void push(const std::filesystem::path& path, std::unique_ptr<std::string> content, std::string_view text) {
    bytes_ += text.size();
    stack_.push_back({path, std::move(content), Lines(text), static_cast<std::int32_t>(names_.size())});
    names_.push_back(path.string());
  }

  void include(std::string_view name) {
    place_ = {stack_.back().file, stack_.back().lines.number()};
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (name.empty()) fail("*INCLUDE needs a file name");
    const std::filesystem::path path = stack_.back().path.parent_path() / std::filesystem::path(name);
    for (const Source& source : stack_) {
      std::error_code ignored;
      if (std::filesystem::equivalent(source.path, path, ignored))
        fail("*INCLUDE of " + quote(name) + " goes round in a circle");
    }
    // Files that include each other many times over would take forever.
    constexpr std::size_t include_limit = 10000;
    if (names_.size() > include_limit) fail("more than " + std::to_string(include_limit) + " *INCLUDEs");
    auto content = std::make_unique<std::string>();
    try {
      *content = read_file(path);
    } catch (const FileError& error) {
      throw FileError(text(place_) + ": *INCLUDE: " + error.what());
    }
    const std::string_view included = *content;
    push(path, std::move(content), included);
  }

  std::vector<Source> stack_;
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
  std::string_view last_;
  bool pending_ = false;
  Place place_;
};

}  // namespace quartic::io
