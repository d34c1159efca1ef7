#include "core/surface/surface_arrays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
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

std::vector<std::int32_t> lowest_at_position(std::span<const double> positions) {
  const auto position = [&](std::int32_t v) {
    const auto x = positions.subspan(3 * static_cast<std::size_t>(v), 3);
    return std::array<double, 3>{x[0], x[1], x[2]};
  };
  std::vector<std::int32_t> order(positions.size() / 3), lowest(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto at_a = position(a), at_b = position(b);
    return at_a != at_b ? at_a < at_b : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && position(order[i]) == position(order[i - 1]);
    lowest[static_cast<std::size_t>(order[i])] = same ? lowest[static_cast<std::size_t>(order[i - 1])] : order[i];
  }
  return lowest;
}

std::vector<std::int32_t> joined_triangles(const TriangleMesh& surface) {
  const std::vector<std::int32_t> lowest = lowest_at_position(surface.vertices);
  std::vector<std::int32_t> triangles;
  triangles.reserve(surface.triangles.size());
  for (const std::int32_t v : surface.triangles) triangles.push_back(lowest[static_cast<std::size_t>(v)]);
  return triangles;
}

}  // namespace quartic
