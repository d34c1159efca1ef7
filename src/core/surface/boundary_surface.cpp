// The boundary of a volume mesh, on vertices of its own.
#include <cstddef>
#include <vector>

#include "quartic/surface_embedding.hpp"

namespace quartic {

SurfaceEmbedding boundary_surface(const VolumeMesh& mesh) {
  SurfaceEmbedding surface;
  surface.width = 1;
  surface.triangles = boundary_triangles(mesh);
  std::vector<std::int32_t> number(static_cast<std::size_t>(mesh.vertex_count()), -1);
  for (const std::int32_t v : surface.triangles) number[static_cast<std::size_t>(v)] = 0;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<std::int32_t>(surface.volume_vertices.size());
    surface.volume_vertices.push_back(static_cast<std::int32_t>(v));
    for (std::size_t c = 0; c < 3; ++c) surface.vertices.push_back(mesh.vertices[3 * v + c]);
  }
  for (std::int32_t& v : surface.triangles) v = number[static_cast<std::size_t>(v)];
  surface.weights.assign(surface.volume_vertices.size(), 1);
  return surface;
}

}  // namespace quartic
