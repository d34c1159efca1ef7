#include "core/surface/box_tree.hpp"

namespace quartic {
namespace {

// 21 bits with two zeros between any two.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffULL;
  x = (x | x << 16) & 0x001f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

// The place of a box's middle along the curve through the box of all.
std::uint64_t curve_place(const Box3& box, const Box3& all) {
  std::uint64_t key = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double extent = all.high[c] - all.low[c], middle = 0.5 * box.low[c] + 0.5 * box.high[c];
    const double share = extent > 0 ? (middle - all.low[c]) / extent : 0;
    if (share > 0)
      key |= spread(static_cast<std::uint64_t>(std::min(share, 1.0) * 0x1FFFFF)) << c;  // not if not a number
  }
  return key;
}

}  // namespace

BoxTree::BoxTree(const std::vector<Box3>& boxes) {
  Box3 all = boxes.front();
  for (const Box3& box : boxes) all.include(box);
  std::vector<std::pair<std::uint64_t, std::size_t>> order(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) order[i] = {curve_place(boxes[i], all), i};
  std::sort(order.begin(), order.end());
  numbers_.reserve(boxes.size());
  levels_.emplace_back().reserve(boxes.size());
  for (const auto& [key, i] : order) {
    numbers_.push_back(i);
    levels_.back().push_back(boxes[i]);
  }
  while (levels_.back().size() > 1) {
    const std::vector<Box3>& below = levels_.back();
    std::vector<Box3> level;
    level.reserve((below.size() + fan_out - 1) / fan_out);
    for (std::size_t i = 0; i < below.size(); ++i)
      if (i % fan_out == 0)
        level.push_back(below[i]);
      else
        level.back().include(below[i]);
    levels_.push_back(std::move(level));
  }
}

}  // namespace quartic
