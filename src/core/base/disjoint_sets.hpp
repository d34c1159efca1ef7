// Which of many things belong together, as it becomes known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace quartic {

/// Union-find with path halving; things are numbered from 0, and each is alone at first.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  /// The lowest number in the set of this one.
  std::int32_t root(std::int32_t v) {
    while (parent(v) != v) v = parent(v) = parent(parent(v));
    return v;
  }
  void join(std::int32_t a, std::int32_t b) {
    const auto [lower, higher] = std::minmax({root(a), root(b)});
    parent(higher) = lower;
  }

 private:
  std::int32_t& parent(std::int32_t v) { return parent_[static_cast<std::size_t>(v)]; }

  std::vector<std::int32_t> parent_;
};

}  // namespace quartic
