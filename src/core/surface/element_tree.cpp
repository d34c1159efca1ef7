#include "core/surface/element_tree.hpp"

#include <cmath>

#include "core/base/thread_pool.hpp"
#include "core/elements/elements.hpp"

namespace quartic {
namespace {

constexpr std::int64_t elements_per_task = 4096;

// A curved element is the straight one of its corners plus, for each edge, the middle's offset times that middle's
// shape function. These aren't negative and sum to at most 3 (hex20), 7/3 (wedge15), 3/2 (tet10).
double bulge(const VolumeMesh& mesh, const ElementTable& table, std::span<const std::int32_t> element, std::size_t c) {
  if (!is_quadratic(table.type)) return 0;
  const auto x = [&](std::size_t a) { return mesh.vertices[3 * static_cast<std::size_t>(element[a]) + c]; };
  const std::size_t corners = element.size() - table.edges.size();
  double largest = 0;
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const auto [i, j] = table.edges[e];
    largest = std::max(largest, std::abs(x(corners + e) - 0.5 * (x(i) + x(j))));
  }
  return 3 * largest;
}

// The box of an element, with a margin for round-off so that vertices on its faces are held.
Box3 box_of_element(const VolumeMesh& mesh, const ElementTable& table, std::span<const std::int32_t> element) {
  Box3 box = Box3::of_vertices(mesh.vertices, element);
  const double size = box.diagonal();
  for (std::size_t c = 0; c < 3; ++c) {
    const double farthest = std::max(std::abs(box.low[c]), std::abs(box.high[c]));
    const double margin = bulge(mesh, table, element, c) + 1e-9 * size + 1e-15 * farthest;
    box.low[c] -= margin;
    box.high[c] += margin;
  }
  return box;
}

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

struct PlacedBox {
  MeshElement place;
  Box3 box;
};

std::vector<PlacedBox> placed_boxes(const VolumeMesh& mesh) {
  std::vector<PlacedBox> boxes(static_cast<std::size_t>(mesh.element_count()));
  std::int64_t first = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const ElementTable& table = element_table(block.type);
    parallel_for((block.count() + elements_per_task - 1) / elements_per_task, [&](std::int64_t task) {
      const std::int64_t end = std::min((task + 1) * elements_per_task, block.count());
      for (std::int64_t e = task * elements_per_task; e < end; ++e)
        boxes[static_cast<std::size_t>(first + e)] = {{static_cast<std::int32_t>(b), e},
                                                      box_of_element(mesh, table, block.element(e))};
    });
    first += block.count();
  }
  return boxes;
}

}  // namespace

ElementTree::ElementTree(const VolumeMesh& mesh) {
  std::vector<PlacedBox> boxes = placed_boxes(mesh);
  Box3 all = boxes.front().box;
  for (const PlacedBox& placed : boxes) all.include(placed.box);
  std::vector<std::pair<std::uint64_t, std::size_t>> order(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) order[i] = {curve_place(boxes[i].box, all), i};
  std::sort(order.begin(), order.end());
  places_.reserve(boxes.size());
  levels_.emplace_back().reserve(boxes.size());
  for (const auto& [key, i] : order) {
    places_.push_back(boxes[i].place);
    levels_.back().push_back(boxes[i].box);
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
