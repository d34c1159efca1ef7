#include "surface/surface_arrays.hpp"

#include <cmath>
#include <string>

#include "quartic/error.hpp"

namespace quartic {

void require_sound_arrays(const TriangleMesh& surface) {
  if (surface.triangles.size() % 3 != 0 || surface.vertices.size() % 3 != 0)
    throw InputError("a surface's arrays hold three numbers for each vertex and each triangle");
  const auto count = surface.vertex_count();
  for (const std::int32_t vertex : surface.triangles)
    if (vertex < 0 || vertex >= count)
      throw InputError("a triangle of the surface has vertex " + std::to_string(vertex) + ", but there are only " +
                       std::to_string(count) + ", counted from 0");
  for (std::size_t i = 0; i < surface.vertices.size(); ++i)
    if (!std::isfinite(surface.vertices[i]))
      throw InputError("vertex " + std::to_string(i / 3) +
                       " of the surface, counted from 0, isn't at a finite position");
}

}  // namespace quartic
