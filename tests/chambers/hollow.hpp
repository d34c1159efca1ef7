// Bodies with a cavity for tests of chambers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/boxes.hpp"

namespace quartic::test {

/// A box of 1.5 x 0.9 x 1.2 m of 27 cells, of which the middle one isn't there.
inline VolumeMesh hollow_box(BoxCells cells, double jitter = 0.15) {
  VolumeMesh mesh = make_box(cells, {3, 3, 3}, jitter);
  // The lattice's first vertices are those of linear elements: a cell's corners are all among its own eight.
  const auto in_middle_cell = [](std::int32_t v) {
    const int i = v % 4, j = v / 4 % 4, k = v / 16;
    return v < 64 && i >= 1 && i <= 2 && j >= 1 && j <= 2 && k >= 1 && k <= 2;
  };
  std::size_t number = 0;
  std::vector<std::int32_t> regions;
  for (ElementBlock& block : mesh.blocks) {
    ElementBlock kept{block.type, {}};
    for (std::int64_t e = 0; e < block.count(); ++e, ++number) {
      const auto element = block.element(e);
      const std::size_t corners = is_quadratic(cells) ? (element.size() == 10   ? 4U
                                                         : element.size() == 20 ? 8U
                                                                                : 6U)
                                                      : element.size();
      if (std::all_of(element.begin(), element.begin() + static_cast<std::ptrdiff_t>(corners), in_middle_cell))
        continue;
      kept.vertices.insert(kept.vertices.end(), element.begin(), element.end());
      regions.push_back(mesh.element_region[number]);
    }
    block = kept;
  }
  mesh.element_region = regions;
  drop_unreferenced_vertices(mesh);
  return mesh;
}

/// Its vertices on the outside, and all others.
inline std::vector<std::int32_t> box_vertices(const VolumeMesh& mesh, bool outside) {
  constexpr std::array<double, 3> size{1.5, 0.9, 1.2};
  std::vector<std::int32_t> found;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    bool on_face = false;
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = mesh.vertices[3 * static_cast<std::size_t>(v) + c];
      on_face |= std::abs(x) < 1e-9 || std::abs(x - size[c]) < 1e-9;
    }
    if (on_face == outside) found.push_back(v);
  }
  return found;
}

}  // namespace quartic::test
