// The lines of a text file with those of the files that it includes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/text/mesh_format.hpp"
#include "io/text/text.hpp"
#include "quartic/error.hpp"

namespace quartic::io {

/// A line of one of the files that are read.
struct Place {
  std::int32_t file = 0;
  std::int64_t line = 0;

  /// By file, then by line.
  friend bool operator<(const Place& a, const Place& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); }
};

/// The lines of a file with those of the files that it includes, in their places. What asks for a file is the format's
/// affair: it calls `include` when it has read such a line.
class IncludingLines {
 public:
  /// @param has_comments whether `#` starts a comment
  explicit IncludingLines(const MeshFile& file, bool has_comments = true) : has_comments_(has_comments) {
    push(file.path, nullptr, file.content);
  }

  /// The next line, or false at the end. The line before is gone then, where its file ended.
  bool next(std::string_view& line) {
    while (!stack_.empty()) {
      if (!stack_.back().lines.next(line)) {
        stack_.pop_back();
        continue;
      }
      place_ = {stack_.back().file, stack_.back().lines.number()};
      return true;
    }
    return false;
  }

  /// The line that follows `place()` in the same file, without going on. False at the file's end.
  bool peek(std::string_view& line) const {
    if (stack_.empty()) return false;
    Lines lines = stack_.back().lines;
    return lines.next(line);
  }

  /// Goes on with the lines of another file, whose path counts from the folder of the file that `place()` is in.
  void include(std::string_view name) {
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

  [[nodiscard]] Place place() const { return place_; }
  /// The files that were included so far, each once.
  [[nodiscard]] std::vector<std::filesystem::path> included_files() const {
    const std::set<std::string> different(names_.begin() + 1, names_.end());
    return {different.begin(), different.end()};
  }
  /// Upper bound for the number of lines still to come that have at least `bytes` bytes each.
  [[nodiscard]] std::size_t possible_rows(std::size_t bytes) const { return bytes_ / bytes + 1; }

  /// The name of the file that includes the others: file 0 of places.
  [[nodiscard]] const std::string& main_file() const { return names_.front(); }
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
  struct Source {
    std::filesystem::path path;
    std::unique_ptr<std::string> content;  // null for the outermost file, which the caller owns
    Lines lines;
    std::int32_t file;
  };

  void push(const std::filesystem::path& path, std::unique_ptr<std::string> content, std::string_view text) {
    bytes_ += text.size();
    stack_.push_back({path, std::move(content), Lines(text, has_comments_), static_cast<std::int32_t>(names_.size())});
    names_.push_back(path.string());
  }

  std::vector<Source> stack_;
  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
  bool has_comments_;
  Place place_;
};

}  // namespace quartic::io
