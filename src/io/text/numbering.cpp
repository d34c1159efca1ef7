#include "io/text/numbering.hpp"

namespace quartic::io {

bool Numbering::add(std::int64_t id) {
  if (count_ == 0) {
    first_ = id;
    count_ = 1;
    return true;
  }
  if (table_.empty()) {
    // Unsigned, so that hostile ids near the ends of the range wrap round instead of overflowing.
    const auto position = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
    if (position == static_cast<std::uint64_t>(count_)) {
      ++count_;
      return true;
    }
    if (position < static_cast<std::uint64_t>(count_)) return false;
    table_.reserve(static_cast<std::size_t>(2 * count_));
    for (std::int64_t i = 0; i < count_; ++i) {
      const auto next = static_cast<std::uint64_t>(first_) + static_cast<std::uint64_t>(i);
      table_.emplace(static_cast<std::int64_t>(next), i);
    }
  }
  if (!table_.emplace(id, count_).second) return false;
  ++count_;
  return true;
}

std::int64_t Numbering::find_in_table(std::int64_t id) const {
  const auto found = table_.find(id);
  return found == table_.end() ? -1 : found->second;
}

}  // namespace quartic::io
