#include "io/surface/polygons.hpp"

#include "core/surface/triangulate.hpp"

namespace quartic::io {

void Polygons::add(TriangleMesh& mesh, std::span<const std::int32_t> corners) {
  if (corners.size() == 3) {
    mesh.triangles.insert(mesh.triangles.end(), corners.begin(), corners.end());
    return;
  }
  positions_.clear();
  for (const std::int32_t v : corners) {
    const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(v);
    positions_.push_back({x[0], x[1], x[2]});
  }
  for (const std::int32_t place : triangulate(positions_))
    mesh.triangles.push_back(corners[static_cast<std::size_t>(place)]);
}

}  // namespace quartic::io
