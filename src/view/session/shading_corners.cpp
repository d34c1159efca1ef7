#include "view/session/shading_corners.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/base/disjoint_sets.hpp"

namespace quartic::view {
namespace {

using Columns = Eigen::Map<const Eigen::Matrix3Xf>;

// Twice the area times the normal.
Eigen::Vector3d area_normal(const ViewSurface& surface, const Columns& positions, std::size_t triangle) {
  const auto corner = [&](std::size_t k) -> Eigen::Vector3d {
    return positions.col(surface.triangles[3 * triangle + k]).cast<double>();
  };
  return (corner(1) - corner(0)).cross(corner(2) - corner(0));
}

// Corners (three per triangle) of each surface vertex: those of vertex v are corners[offsets[v] ..].
struct VertexCorners {
  std::vector<std::size_t> offsets, corners;
};

VertexCorners vertex_corners(const ViewSurface& surface) {
  const auto vertices = static_cast<std::size_t>(surface.vertex_count());
  VertexCorners result{std::vector<std::size_t>(vertices + 1), std::vector<std::size_t>(surface.triangles.size())};
  for (const std::uint32_t v : surface.triangles) ++result.offsets[v + 1];
  for (std::size_t v = 0; v < vertices; ++v) result.offsets[v + 1] += result.offsets[v];
  std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t corner = 0; corner < surface.triangles.size(); ++corner)
    result.corners[next[surface.triangles[corner]]++] = corner;
  return result;
}

/// A corner and one of the two edges that it lies between, named by the vertex at the other end.
struct Edge {
  std::uint32_t other;
  std::int32_t corner;  // among those of its vertex
  bool operator<(const Edge& edge) const { return std::tie(other, corner) < std::tie(edge.other, edge.corner); }
};

// The edges of a vertex's corners, those that are the same side by side.
void list_edges(const ViewSurface& surface, std::span<const std::size_t> corners, std::vector<Edge>& edges) {
  edges.clear();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t first = corners[i] / 3 * 3;
    for (const std::size_t further : {1U, 2U})
      edges.push_back({surface.triangles[first + (corners[i] + further) % 3], static_cast<std::int32_t>(i)});
  }
  std::sort(edges.begin(), edges.end());
}

}  // namespace

ShadingCorners shading_corners(const ViewSurface& surface, double crease_angle) {
  const Columns rest(surface.rest.data(), 3, surface.vertex_count());
  const auto triangles = static_cast<std::size_t>(surface.triangle_count());
  std::vector<Eigen::Vector3d> normals(triangles);
  for (std::size_t t = 0; t < triangles; ++t) normals[t] = area_normal(surface, rest, t).stableNormalized();
  // The margin keeps flat surfaces whole in spite of round-off, at angle 0 too.
  const double least_cosine = std::cos(crease_angle * std::numbers::pi / 180) - 1e-5;

  const VertexCorners around = vertex_corners(surface);
  ShadingCorners result;
  result.corners.resize(surface.triangles.size());
  result.incident.reserve(surface.triangles.size());
  result.offsets = {0};
  std::vector<Edge> edges;
  std::vector<std::pair<std::int32_t, std::size_t>>
      by_root;  // corners of one vertex, those with one normal side by side
  for (std::size_t v = 0; v + 1 < around.offsets.size(); ++v) {
    const std::span corners(around.corners.data() + around.offsets[v], around.offsets[v + 1] - around.offsets[v]);
    DisjointSets smooth(corners.size());
    list_edges(surface, corners, edges);
    for (std::size_t k = 1; k < edges.size(); ++k) {
      const auto [a, b] = std::pair(edges[k - 1].corner, edges[k].corner);
      if (edges[k - 1].other == edges[k].other &&
          normals[corners[static_cast<std::size_t>(a)] / 3].dot(normals[corners[static_cast<std::size_t>(b)] / 3]) >=
              least_cosine)
        smooth.join(a, b);
    }
    by_root.clear();
    for (std::size_t i = 0; i < corners.size(); ++i) by_root.emplace_back(smooth.root(static_cast<std::int32_t>(i)), i);
    std::sort(by_root.begin(), by_root.end());
    for (std::size_t k = 0; k < by_root.size(); ++k) {
      const auto [root, i] = by_root[k];
      result.corners[corners[i]] = static_cast<std::uint32_t>(result.vertices.size());
      result.incident.push_back(static_cast<std::uint32_t>(corners[i] / 3));
      if (k + 1 < by_root.size() && by_root[k + 1].first == root) continue;
      result.vertices.push_back(static_cast<std::uint32_t>(v));
      result.offsets.push_back(static_cast<std::uint32_t>(result.incident.size()));
    }
  }
  return result;
}

std::vector<double> corner_normals(const ShadingCorners& corners, const ViewSurface& surface,
                                   std::span<const float> positions) {
  const Columns columns(positions.data(), 3, surface.vertex_count());
  std::vector<double> normals;
  normals.reserve(3 * corners.vertices.size());
  for (std::size_t d = 0; d < corners.vertices.size(); ++d) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::uint32_t k = corners.offsets[d]; k < corners.offsets[d + 1]; ++k)
      sum += area_normal(surface, columns, corners.incident[k]);
    sum.stableNormalize();
    normals.insert(normals.end(), sum.begin(), sum.end());
  }
  return normals;
}

}  // namespace quartic::view
