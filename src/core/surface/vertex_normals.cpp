// Normals of a surface's vertices: each gathers from its own triangles, in their order, so that threads don't matter.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/thread_pool.hpp"
#include "core/surface/surface_arrays.hpp"
#include "quartic/error.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {
namespace {

constexpr std::int64_t normals_per_task = 2048;

}  // namespace

VertexNormals::VertexNormals(std::span<const std::int32_t> triangles, std::int64_t vertex_count,
                             std::span<const double> joined) {
  if (vertex_count < 0 || triangles.size() % 3 != 0)
    throw InputError("normals need three vertices for each triangle, and a number of vertices that isn't negative");
  for (const std::int32_t v : triangles)
    if (v < 0 || v >= vertex_count)
      throw InputError("a triangle has vertex " + std::to_string(v) + ", but there are only " +
                       std::to_string(vertex_count) + ", counted from 0");
  if (!joined.empty() && std::ssize(joined) != 3 * vertex_count)
    throw InputError("the positions that join vertices must be three numbers for each of the " +
                     std::to_string(vertex_count) + " vertices, not " + std::to_string(joined.size()));
  for (const double x : joined)
    if (!std::isfinite(x)) throw InputError("a position that joins vertices isn't a finite number");
  if (!joined.empty()) lowest_ = lowest_at_position(joined);
  const auto place_of = [&](std::int32_t v) {
    return static_cast<std::size_t>(lowest_.empty() ? v : lowest_[static_cast<std::size_t>(v)]);
  };
  starts_.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
  for (const std::int32_t v : triangles) ++starts_[place_of(v) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  triangles_.resize(3 * triangles.size());
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < triangles.size(); ++i)
    std::copy_n(triangles.begin() + static_cast<std::ptrdiff_t>(i / 3 * 3), 3,
                triangles_.begin() + 3 * next[place_of(triangles[i])]++);
}

template <class T>
void VertexNormals::compute(std::span<const T> positions, std::span<T> normals) const {
  const std::int64_t count = vertex_count();
  if (std::ssize(positions) != 3 * count || std::ssize(normals) != 3 * count)
    throw InputError("positions and normals must be three numbers for each of the " + std::to_string(count) +
                     " vertices, not " + std::to_string(positions.size()) + " and " + std::to_string(normals.size()));
  const auto x = [&](std::int32_t vertex, std::size_t c) {
    return static_cast<double>(positions[3 * static_cast<std::size_t>(vertex) + c]);
  };
  parallel_for((count + normals_per_task - 1) / normals_per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min((task + 1) * normals_per_task, count);
    for (std::int64_t v = task * normals_per_task; v < end; ++v) {
      double sum[3] = {};
      for (std::int64_t k = starts_[static_cast<std::size_t>(v)]; k < starts_[static_cast<std::size_t>(v) + 1]; ++k) {
        const std::int32_t* t = triangles_.data() + 3 * k;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t d = (c + 1) % 3, e = (c + 2) % 3;
          sum[c] += (x(t[1], d) - x(t[0], d)) * (x(t[2], e) - x(t[0], e)) -
                    (x(t[1], e) - x(t[0], e)) * (x(t[2], d) - x(t[0], d));
        }
      }
      const double length = std::hypot(sum[0], sum[1], sum[2]);
      for (std::size_t c = 0; c < 3; ++c)
        normals[3 * static_cast<std::size_t>(v) + c] = static_cast<T>(length > 0 ? sum[c] / length : 0);
    }
  });
  for (std::size_t v = 0; v < lowest_.size(); ++v)  // a lower one is finished already
    std::copy_n(normals.begin() + 3 * lowest_[v], 3, normals.begin() + 3 * static_cast<std::ptrdiff_t>(v));
}

template QUARTIC_EXPORT void VertexNormals::compute(std::span<const float>, std::span<float>) const;
template QUARTIC_EXPORT void VertexNormals::compute(std::span<const double>, std::span<double>) const;

}  // namespace quartic
