// The numbers that a file gives to its vertices or elements, and what they mean.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace quartic::io {

/// Maps a file's own ids to 0, 1, 2, ... in the order of the file. Ids that run without gaps cost nothing, whatever
/// the first is; others go through a hash table, so memory never depends on the largest id.
class Numbering {
 public:
  /// Gives the next index to `id`. False, without a change, if `id` has one already.
  bool add(std::int64_t id);
  /// The index of `id`, or -1 if the file doesn't define it.
  [[nodiscard]] std::int64_t find(std::int64_t id) const {
    if (!table_.empty()) return find_in_table(id);
    const auto position = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
    return position < static_cast<std::uint64_t>(count_) ? static_cast<std::int64_t>(position) : -1;
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// True if the ids are first, first + 1, first + 2, ...
  [[nodiscard]] bool consecutive() const { return table_.empty(); }

 private:
  [[nodiscard]] std::int64_t find_in_table(std::int64_t id) const;

  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::unordered_map<std::int64_t, std::int64_t> table_;  // empty while the ids are consecutive
};

}  // namespace quartic::io
