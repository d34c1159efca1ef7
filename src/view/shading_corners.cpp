#include "view/shading_corners.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "core/disjoint_sets.hpp"

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

// Whether two triangles with a vertex in common also share an edge there.
bool share_edge(const ViewSurface& surface, std::size_t a, std::size_t b, std::uint32_t vertex) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (const std::uint32_t v = surface.triangles[3 * a + i]; v != vertex && v == surface.triangles[3 * b + j])
        return true;
  return false;
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
  for (std::size_t v = 0; v + 1 < around.offsets.size(); ++v) {
    const std::span corners(around.corners.data() + around.offsets[v], around.offsets[v + 1] - around.offsets[v]);
    DisjointSets smooth(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (normals[corners[i] / 3].dot(normals[corners[j] / 3]) >= least_cosine &&
            share_edge(surface, corners[i] / 3, corners[j] / 3, static_cast<std::uint32_t>(v)))
          smooth.join(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
    for (std::size_t first = 0; first < corners.size(); ++first) {
      if (smooth.root(static_cast<std::int32_t>(first)) != static_cast<std::int32_t>(first)) continue;
      for (std::size_t i = first; i < corners.size(); ++i) {
        if (smooth.root(static_cast<std::int32_t>(i)) != static_cast<std::int32_t>(first)) continue;
        result.corners[corners[i]] = static_cast<std::uint32_t>(result.vertices.size());
        result.incident.push_back(static_cast<std::uint32_t>(corners[i] / 3));
      }
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
