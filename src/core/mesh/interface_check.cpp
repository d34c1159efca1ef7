#include "core/mesh/interface_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/elements/vectors.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

/// Two boundary triangles that share an edge, seen as one quadrilateral.
struct Pair {
  std::array<std::int32_t, 4> vertices;  // sorted
  std::array<std::int32_t, 2> diagonal;  // the shared edge, sorted
  std::array<std::size_t, 2> triangles;
};

struct Edge {
  std::array<std::int32_t, 2> vertices;  // sorted
  std::int32_t opposite;
  std::size_t triangle;
};

std::vector<Edge> sorted_edges(std::span<const std::int32_t> triangles) {
  std::vector<Edge> edges;
  edges.reserve(triangles.size());
  for (std::size_t t = 0; t < triangles.size() / 3; ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [a, b] = std::minmax(triangles[3 * t + i], triangles[3 * t + (i + 1) % 3]);
      edges.push_back({{a, b}, triangles[3 * t + (i + 2) % 3], t});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return x.vertices != y.vertices ? x.vertices < y.vertices : x.triangle < y.triangle;
  });
  return edges;
}

// A flat quadrilateral has nearly no volume as a tetrahedron; else the four are a corner of the surface.
bool is_flat(const VolumeMesh& mesh, const std::array<std::int32_t, 4>& v) {
  const Vector origin = position(mesh, v[0]);
  const Vector a = difference(position(mesh, v[1]), origin);
  const Vector b = difference(position(mesh, v[2]), origin);
  const Vector c = difference(position(mesh, v[3]), origin);
  const double size = std::sqrt(std::max({dot(a, a), dot(b, b), dot(c, c)}));
  return std::abs(dot(cross(a, b), c)) < 1e-3 * size * size * size;
}

std::vector<Pair> sorted_pairs(const std::vector<Edge>& edges) {
  // More triangles than this around one edge are no interface but a damaged mesh; all their pairs would take forever.
  constexpr std::ptrdiff_t fan_limit = 16;
  std::vector<Pair> pairs;
  for (auto begin = edges.begin(); begin != edges.end();) {
    const auto end = std::find_if(begin, edges.end(), [&](const Edge& e) { return e.vertices != begin->vertices; });
    if (end - begin <= fan_limit)
      for (auto first = begin; first != end; ++first)
        for (auto second = first + 1; second != end; ++second) {
          Pair pair{{first->vertices[0], first->vertices[1], first->opposite, second->opposite},
                    first->vertices,
                    {first->triangle, second->triangle}};
          std::sort(pair.vertices.begin(), pair.vertices.end());
          pairs.push_back(pair);
        }
    begin = end;
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
    return x.vertices != y.vertices ? x.vertices < y.vertices : x.diagonal < y.diagonal;
  });
  return pairs;
}

}  // namespace

std::int64_t interface_triangle_count(const VolumeMesh& mesh, std::span<const std::int32_t> triangles) {
  const auto normal = [&](std::size_t t) {
    const Vector origin = position(mesh, triangles[3 * t]);
    return cross(difference(position(mesh, triangles[3 * t + 1]), origin),
                 difference(position(mesh, triangles[3 * t + 2]), origin));
  };
  std::vector<bool> on_interface(triangles.size() / 3, false);
  const auto mark_if_opposed = [&](std::size_t s, std::size_t t) {
    if (dot(normal(s), normal(t)) < 0) on_interface[s] = on_interface[t] = true;
  };
  const std::vector<Pair> pairs = sorted_pairs(sorted_edges(triangles));
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    const auto end = std::find_if(begin, pairs.end(), [&](const Pair& p) { return p.vertices != begin->vertices; });
    // Equal opposite vertices: one triangle from two sides. Other diagonals: one quadrilateral, cut in two ways.
    const auto& v = begin->vertices;
    const bool same_triangle = std::adjacent_find(v.begin(), v.end()) != v.end();
    if (same_triangle || (begin->diagonal != (end - 1)->diagonal && is_flat(mesh, v)))
      for (auto first = begin; first != end; ++first) {
        if (same_triangle) mark_if_opposed(first->triangles[0], first->triangles[1]);
        for (auto second = first + 1; second != end; ++second)
          if (first->diagonal != second->diagonal)
            for (const auto s : first->triangles)
              for (const auto t : second->triangles) mark_if_opposed(s, t);
      }
    begin = end;
  }
  return std::count(on_interface.begin(), on_interface.end(), true);
}

}  // namespace quartic
