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

std::vector<Box3> boxes_of_elements(const VolumeMesh& mesh) {
  std::vector<Box3> boxes(static_cast<std::size_t>(mesh.element_count()));
  std::int64_t first = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementTable& table = element_table(block.type);
    parallel_ranges(block.count(), elements_per_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e)
        boxes[static_cast<std::size_t>(first + e)] = box_of_element(mesh, table, block.element(e));
    });
    first += block.count();
  }
  return boxes;
}

std::vector<MeshElement> places_of_elements(const VolumeMesh& mesh) {
  std::vector<MeshElement> places;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
    for (std::int64_t e = 0; e < mesh.blocks[b].count(); ++e) places.push_back({static_cast<std::int32_t>(b), e});
  return places;
}

}  // namespace

ElementTree::ElementTree(const VolumeMesh& mesh) : places_(places_of_elements(mesh)), tree_(boxes_of_elements(mesh)) {}

}  // namespace quartic
