// Unit cubes in rows, as bricks or tetrahedra, for tests of meshes.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "quartic/mesh.hpp"

namespace quartic::test {

inline void give_region(VolumeMesh& mesh) {
  mesh.regions = {{"body", Material{.youngs_modulus = 1e6, .poissons_ratio = 0.3, .density = 1000}}};
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
}

/// A unit cube per cell of a grid of nx x ny x nz, as hexahedra or as six tetrahedra each (all diagonals agree).
inline VolumeMesh grid(int nx, int ny, int nz, bool tetrahedra) {
  VolumeMesh mesh;
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) mesh.vertices.insert(mesh.vertices.end(), {1.0 * i, 1.0 * j, 1.0 * k});
  const auto v = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
  ElementBlock block{tetrahedra ? ElementType::tet4 : ElementType::hex8, {}};
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        if (!tetrahedra) {
          block.vertices.insert(block.vertices.end(),
                                {v(i, j, k), v(i + 1, j, k), v(i + 1, j + 1, k), v(i, j + 1, k), v(i, j, k + 1),
                                 v(i + 1, j, k + 1), v(i + 1, j + 1, k + 1), v(i, j + 1, k + 1)});
          continue;
        }
        // Kuhn's triangulation: one tetrahedron per order in which the three axes are walked.
        std::array<int, 3> axes{0, 1, 2};
        do {
          std::array<int, 3> at{i, j, k};
          std::array<std::int32_t, 4> tet{};
          tet[0] = v(at[0], at[1], at[2]);
          for (std::size_t s = 0; s < 3; ++s) {
            ++at[static_cast<std::size_t>(axes[s])];
            tet[s + 1] = v(at[0], at[1], at[2]);
          }
          const bool odd = axes == std::array{0, 2, 1} || axes == std::array{1, 0, 2} || axes == std::array{2, 1, 0};
          if (odd) std::swap(tet[0], tet[1]);
          block.vertices.insert(block.vertices.end(), tet.begin(), tet.end());
        } while (std::next_permutation(axes.begin(), axes.end()));
      }
  mesh.blocks = {block};
  give_region(mesh);
  return mesh;
}

inline bool has_warning(const MeshReport& report, const std::string& part) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

}  // namespace quartic::test
