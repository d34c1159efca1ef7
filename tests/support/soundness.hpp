// What every mesh made by formula must be: conforming, in one piece, nothing left over.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "quartic/procedural.hpp"

namespace quartic::test {

// Faces of a hexahedron and of a tetrahedron in VTK order, written down here once more so that nothing is taken from
// the library.
using Faces = std::vector<std::vector<std::size_t>>;
inline const Faces hexahedron_faces = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                       {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
inline const Faces tetrahedron_faces = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};

// How often each face, as a set of vertices, occurs among the elements.
inline std::map<std::vector<std::int32_t>, int> face_counts(const VolumeMesh& mesh) {
  std::map<std::vector<std::int32_t>, int> counts;
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (const auto& face : block.type == ElementType::hex8 ? hexahedron_faces : tetrahedron_faces) {
        std::vector<std::int32_t> key;
        for (const std::size_t corner : face) key.push_back(block.element(e)[corner]);
        std::sort(key.begin(), key.end());
        ++counts[key];
      }
  return counts;
}

// A conforming mesh has no two vertices in one place, and its faces belong to one or two elements. Two faces that
// coincide without sharing vertices would need vertices in one place.
inline void expect_conforming(const VolumeMesh& mesh) {
  std::set<std::array<double, 3>> places;
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3)
    places.insert({mesh.vertices[v], mesh.vertices[v + 1], mesh.vertices[v + 2]});
  EXPECT_EQ(static_cast<std::int64_t>(places.size()), mesh.vertex_count());
  for (const auto& [face, count] : face_counts(mesh)) EXPECT_LE(count, 2);
}

inline void expect_sound(const ProceduralMesh& shape) {
  const MeshReport report = check_mesh(shape.mesh);
  EXPECT_EQ(report.components, 1);
  EXPECT_EQ(report.inverted, 0);
  EXPECT_EQ(report.degenerate, 0);
  EXPECT_EQ(report.unreferenced_vertices, 0);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
  EXPECT_TRUE(std::is_sorted(shape.fixed_vertices.begin(), shape.fixed_vertices.end()));
  ASSERT_EQ(shape.mesh.regions.size(), 1U);
  EXPECT_TRUE(shape.mesh.regions[0].material.has_value());
  expect_conforming(shape.mesh);
}

}  // namespace quartic::test
