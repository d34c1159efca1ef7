// Boxes in a tree, for finding those around or near a point.
//
// They lie in the order of a space-filling curve (Morton's); `fan_out` neighbours share a box, as many of these boxes
// the next larger one, and so on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/surface/box3.hpp"

namespace quartic {

class BoxTree {
 public:
  /// One box or more.
  explicit BoxTree(const std::vector<Box3>& boxes);

  /// Calls `visit(number)` for every box that holds the point.
  template <class Visit>
  void for_each_around(const Point3& x, const Visit& visit) const {
    around(x, levels_.size() - 1, 0, visit);
  }

  /// Calls `squared_distance(number)` for boxes whose content may be as near as the nearest so far, which the calls
  /// return.
  template <class Distance>
  void for_each_near(const Point3& x, const Distance& squared_distance) const {
    double nearest = std::numeric_limits<double>::infinity();
    near(x, levels_.size() - 1, 0, squared_distance, nearest);
  }

  static constexpr std::size_t fan_out = 4;
  /// The boxes' numbers along the curve, and the boxes in that order, then those around `fan_out` of them, and so on.
  [[nodiscard]] const std::vector<std::size_t>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::vector<Box3>>& levels() const { return levels_; }

 private:
  template <class Visit>
  void around(const Point3& x, std::size_t level, std::size_t node, const Visit& visit) const {
    if (!levels_[level][node].holds(x)) return;
    if (level == 0) {
      visit(numbers_[node]);
      return;
    }
    const std::size_t end = std::min((node + 1) * fan_out, levels_[level - 1].size());
    for (std::size_t child = node * fan_out; child < end; ++child) around(x, level - 1, child, visit);
  }

  template <class Distance>
  void near(const Point3& x, std::size_t level, std::size_t node, const Distance& squared_distance,
            double& nearest) const {
    if (level == 0) {
      nearest = std::min(nearest, squared_distance(numbers_[node]));
      return;
    }
    const std::size_t begin = node * fan_out, count = std::min(fan_out, levels_[level - 1].size() - begin);
    std::array<std::pair<double, std::size_t>, fan_out> children;
    for (std::size_t i = 0; i < count; ++i)
      children[i] = {levels_[level - 1][begin + i].squared_distance(x), begin + i};
    std::sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i)  // those as far as the nearest so far as well: the lowest number decides
      if (children[i].first <= nearest) near(x, level - 1, children[i].second, squared_distance, nearest);
  }

  std::vector<std::size_t> numbers_;       // along the curve
  std::vector<std::vector<Box3>> levels_;  // single boxes first, that of all last
};

}  // namespace quartic
