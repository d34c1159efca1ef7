// Meshes that several tests use.
#pragma once

#include <array>

#include "quartic/procedural.hpp"

namespace quartic::test {

/// Adds a shifted copy of a body as a further component.
inline void append_copy(ProceduralMesh& body, const ProceduralMesh& part, std::array<double, 3> shift) {
  const auto first = static_cast<std::int32_t>(body.mesh.vertex_count());
  for (std::size_t i = 0; i < part.mesh.vertices.size(); ++i)
    body.mesh.vertices.push_back(part.mesh.vertices[i] + shift[i % 3]);
  for (std::size_t b = 0; b < part.mesh.blocks.size(); ++b)
    for (const auto v : part.mesh.blocks[b].vertices) body.mesh.blocks[b].vertices.push_back(first + v);
  body.mesh.element_region.insert(body.mesh.element_region.end(), part.mesh.element_region.begin(),
                                  part.mesh.element_region.end());
  for (const auto v : part.fixed_vertices) body.fixed_vertices.push_back(first + v);
}

/// A beam of 1 m with a square section, 2 x 2 bricks across, held at x = 0.
inline ProceduralMesh square_beam(double height, int cells, const Material& material) {
  return make_box({.length = 1,
                   .width = height,
                   .height = height,
                   .cells_x = cells,
                   .cells_y = 2,
                   .cells_z = 2,
                   .material = material});
}

}  // namespace quartic::test
