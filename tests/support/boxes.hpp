// Small irregular meshes of a box for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "quartic/mesh.hpp"
#include "support/support.hpp"

namespace quartic::test {

inline const Material soft{1e5, 0.3, 900};
inline const Material stiff{4e6, 0.45, 2700};

enum class BoxCells {
  tets,
  hexes,
  wedges,
  alternating,
  hexes_and_wedges,
  straight_tet10,
  straight_hex20,
  straight_wedge15,
  curved_tet10,
  curved_hex20,
  curved_wedge15,
  curved_hexes_and_wedges
};

inline constexpr BoxCells all_cells[] = {BoxCells::tets,
                                         BoxCells::hexes,
                                         BoxCells::wedges,
                                         BoxCells::alternating,
                                         BoxCells::hexes_and_wedges,
                                         BoxCells::straight_tet10,
                                         BoxCells::straight_hex20,
                                         BoxCells::straight_wedge15,
                                         BoxCells::curved_tet10,
                                         BoxCells::curved_hex20,
                                         BoxCells::curved_wedge15,
                                         BoxCells::curved_hexes_and_wedges};

/// All but hexahedra whose faces two tetrahedra share, where constant stress isn't in balance.
inline const std::vector<BoxCells> conforming_cells = [] {
  std::vector<BoxCells> cells;
  std::ranges::copy_if(all_cells, std::back_inserter(cells), [](BoxCells c) { return c != BoxCells::alternating; });
  return cells;
}();

inline const char* name_of(BoxCells cells) {
  constexpr const char* names[] = {"tets",
                                   "hexes",
                                   "wedges",
                                   "alternating",
                                   "hexes_and_wedges",
                                   "straight_tet10",
                                   "straight_hex20",
                                   "straight_wedge15",
                                   "curved_tet10",
                                   "curved_hex20",
                                   "curved_wedge15",
                                   "curved_hexes_and_wedges"};
  return names[static_cast<std::size_t>(cells)];
}

inline bool is_quadratic(BoxCells cells) {
  return cells >= BoxCells::straight_tet10;
}

inline bool is_curved(BoxCells cells) {
  return cells >= BoxCells::curved_tet10;
}

/// The box of linear elements that a quadratic one is made from.
inline BoxCells linear_cells(BoxCells cells) {
  switch (cells) {
    case BoxCells::straight_tet10:
    case BoxCells::curved_tet10:
      return BoxCells::tets;
    case BoxCells::straight_hex20:
    case BoxCells::curved_hex20:
      return BoxCells::hexes;
    case BoxCells::straight_wedge15:
    case BoxCells::curved_wedge15:
      return BoxCells::wedges;
    case BoxCells::curved_hexes_and_wedges:
      return BoxCells::hexes_and_wedges;
    default:
      return cells;
  }
}

/// Six tetrahedra round a cell's diagonal: paths from corner to corner, one axis after the other. `vertex` gives the
/// number of a lattice point.
template <class Vertex>
void append_tetrahedra(std::vector<std::int32_t>& tets, const std::array<int, 3>& cell, const Vertex& vertex) {
  const std::array<std::array<std::size_t, 3>, 6> paths{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (std::size_t p = 0; p < paths.size(); ++p) {
    std::array<int, 3> corner = cell;
    std::array<std::int32_t, 4> tet{vertex(corner)};
    for (std::size_t s = 0; s < 3; ++s) {
      ++corner[paths[p][s]];
      tet[s + 1] = vertex(corner);
    }
    if (p >= 3) std::swap(tet[2], tet[3]);
    tets.insert(tets.end(), tet.begin(), tet.end());
  }
}

/// A box of nx x ny x nz cells of size 0.5 x 0.3 x 0.4, each split into six tetrahedra, into two wedges that stand on
/// z = 0, kept as a hexahedron, or in turn: hexahedra and tetrahedra cell by cell, hexahedra and wedges column by
/// column. Elements are linear, quadratic, or quadratic with curved edges inside. Vertices inside the box are moved by
/// up to `jitter` of a cell. Elements belong to two regions, `soft` and `stiff`, in turn.
inline VolumeMesh make_box(BoxCells cells, std::array<int, 3> size, double jitter = 0.15) {
  const std::array<double, 3> step{0.5, 0.3, 0.4};
  const auto vertex = [&](const std::array<int, 3>& at) {
    return static_cast<std::int32_t>((at[2] * (size[1] + 1) + at[1]) * (size[0] + 1) + at[0]);
  };
  VolumeMesh mesh;
  const auto vertices = static_cast<std::size_t>((size[0] + 1) * (size[1] + 1) * (size[2] + 1));
  const std::vector<double> noise = random_numbers(3 * vertices, 7);
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] <= size[2]; ++at[2])
    for (at[1] = 0; at[1] <= size[1]; ++at[1])
      for (at[0] = 0; at[0] <= size[0]; ++at[0]) {
        bool inside = true;
        for (std::size_t c = 0; c < 3; ++c) inside = inside && at[c] > 0 && at[c] < size[c];
        for (std::size_t c = 0; c < 3; ++c)
          mesh.vertices.push_back(step[c] * (at[c] + (inside ? jitter * noise[mesh.vertices.size()] : 0.0)));
      }
  ElementBlock tets{ElementType::tet4, {}}, hexes{ElementType::hex8, {}}, wedges{ElementType::wedge6, {}};
  const BoxCells linear = linear_cells(cells);
  int cell = 0;
  for (int k = 0; k < size[2]; ++k)
    for (int j = 0; j < size[1]; ++j)
      for (int i = 0; i < size[0]; ++i, ++cell) {
        std::array<std::int32_t, 8> hex;
        constexpr std::array<std::array<int, 3>, 8> corners{
            {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
        for (std::size_t a = 0; a < 8; ++a) hex[a] = vertex({i + corners[a][0], j + corners[a][1], k + corners[a][2]});
        if (linear == BoxCells::hexes || (linear == BoxCells::alternating && cell % 2 == 1) ||
            (linear == BoxCells::hexes_and_wedges && (i + j) % 2 == 0))
          hexes.vertices.insert(hexes.vertices.end(), hex.begin(), hex.end());
        else if (linear == BoxCells::wedges || linear == BoxCells::hexes_and_wedges)
          wedges.vertices.insert(wedges.vertices.end(), {hex[0], hex[1], hex[2], hex[4], hex[5], hex[6],  //
                                                         hex[0], hex[2], hex[3], hex[4], hex[6], hex[7]});
        else
          append_tetrahedra(tets.vertices, {i, j, k}, vertex);
      }
  for (ElementBlock& block : std::array{std::move(tets), std::move(hexes), std::move(wedges)})
    if (block.count() > 0) mesh.blocks.push_back(block);
  mesh.regions = {{"soft", soft}, {"stiff", stiff}};
  for (int e = 0; e < mesh.element_count(); ++e) mesh.element_region.push_back(e % 2);
  if (!is_quadratic(cells)) return mesh;
  mesh = make_quadratic(std::move(mesh));
  for (std::size_t v = vertices; v < mesh.vertices.size() / 3 && is_curved(cells); ++v) {
    double* x = mesh.vertices.data() + 3 * v;
    bool inside = true;
    for (std::size_t c = 0; c < 3; ++c) inside = inside && x[c] > 0.01 && x[c] < step[c] * size[c] - 0.01;
    for (std::size_t c = 0; c < 3 && inside; ++c) x[c] += 0.3 * jitter * step[c] * noise[(3 * v + c) % noise.size()];
  }
  return mesh;
}

/// The mesh of one element, with its material and its vertices renumbered from 0; `global` gets their numbers.
inline VolumeMesh single_element(const VolumeMesh& mesh, const ElementBlock& block, std::int64_t e, std::int64_t number,
                                 std::vector<std::int32_t>& global) {
  VolumeMesh one;
  const auto vertices = block.element(e);
  global.assign(vertices.begin(), vertices.end());
  one.blocks = {{block.type, {}}};
  for (const std::int32_t v : global) {
    one.blocks[0].vertices.push_back(static_cast<std::int32_t>(one.vertices.size() / 3));
    for (int c = 0; c < 3; ++c) one.vertices.push_back(mesh.vertices[static_cast<std::size_t>(3 * v + c)]);
  }
  one.regions = {mesh.regions[static_cast<std::size_t>(mesh.element_region[static_cast<std::size_t>(number)])]};
  one.element_region = {0};
  return one;
}

}  // namespace quartic::test
