// Normals of a surface's vertices: each gathers from its own triangles, in their order, so that threads don't matter.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/thread_pool.hpp"
#include "quartic/error.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {
namespace {

constexpr std::int64_t vertices_per_task = 2048;

/// For each vertex the first one in its place; itself where positions aren't given.
std::vector<std::int32_t> first_in_place(std::span<const double> positions, std::int64_t vertex_count) {
  std::vector<std::int32_t> first(static_cast<std::size_t>(vertex_count)), order(first.size());
  std::iota(first.begin(), first.end(), 0);
  if (positions.empty()) return first;
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int32_t a, std::int32_t b) {  // < 0, 0, > 0
    for (std::size_t c = 0; c < 3; ++c) {
      const double x = positions[3 * static_cast<std::size_t>(a) + c],
                   y = positions[3 * static_cast<std::size_t>(b) + c];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const int difference = compare(a, b);
    return difference != 0 ? difference < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (compare(order[i - 1], order[i]) == 0)
      first[static_cast<std::size_t>(order[i])] = first[static_cast<std::size_t>(order[i - 1])];
  return first;
}

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
  const std::vector<std::int32_t> first = first_in_place(joined, vertex_count);
  std::vector<std::int64_t> corners(static_cast<std::size_t>(vertex_count) + 1, 0);  // of the first in each place
  for (const std::int32_t v : triangles) ++corners[static_cast<std::size_t>(first[static_cast<std::size_t>(v)])];
  starts_.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
  for (std::size_t v = 0; v < first.size(); ++v)
    starts_[v + 1] = starts_[v] + corners[static_cast<std::size_t>(first[v])];
  triangles_.resize(3 * static_cast<std::size_t>(starts_.back()));
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto place = static_cast<std::size_t>(first[static_cast<std::size_t>(triangles[i])]);
    std::copy_n(triangles.begin() + static_cast<std::ptrdiff_t>(i / 3 * 3), 3, triangles_.begin() + 3 * next[place]++);
  }
  for (std::size_t v = 0; v < first.size(); ++v)
    if (const auto place = static_cast<std::size_t>(first[v]); place != v)
      std::copy(triangles_.begin() + 3 * starts_[place], triangles_.begin() + 3 * starts_[place + 1],
                triangles_.begin() + 3 * starts_[v]);
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
  parallel_for((count + vertices_per_task - 1) / vertices_per_task, [&](std::int64_t task) {
    const std::int64_t end = std::min((task + 1) * vertices_per_task, count);
    for (std::int64_t v = task * vertices_per_task; v < end; ++v) {
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
}

template QUARTIC_EXPORT void VertexNormals::compute(std::span<const float>, std::span<float>) const;
template QUARTIC_EXPORT void VertexNormals::compute(std::span<const double>, std::span<double>) const;

}  // namespace quartic
