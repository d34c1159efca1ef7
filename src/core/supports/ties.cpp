// Vertices tied to the elements at a surface.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/supports/boundary_areas.hpp"
#include "quartic/error.hpp"
#include "quartic/supports.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {
namespace {

// The elements that have one of these faces, on all vertices of the mesh.
VolumeMesh elements_at(const VolumeMesh& mesh, std::span<const FaceCorner> corners) {
  std::vector<bool> has_face(static_cast<std::size_t>(mesh.element_count()));
  for (const FaceCorner& corner : corners) has_face[static_cast<std::size_t>(corner.element)] = true;
  VolumeMesh part;
  part.vertices = mesh.vertices;
  std::size_t number = 0;
  for (const ElementBlock& block : mesh.blocks) {
    ElementBlock kept{.type = block.type, .vertices = {}};
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const auto element = block.element(e);
      if (has_face[number++]) kept.vertices.insert(kept.vertices.end(), element.begin(), element.end());
    }
    if (!kept.vertices.empty()) part.blocks.push_back(std::move(kept));
  }
  return part;
}

// The vertices alone: a triangle of one vertex each.
TriangleMesh points_of(const VolumeMesh& mesh, const std::vector<std::int32_t>& vertices) {
  TriangleMesh points;
  for (const std::int32_t v : vertices) {
    const auto number = static_cast<std::int32_t>(points.vertices.size() / 3);
    const auto* x = mesh.vertices.data() + 3 * std::ptrdiff_t{v};
    points.vertices.insert(points.vertices.end(), x, x + 3);
    points.triangles.insert(points.triangles.end(), 3, number);
  }
  return points;
}

}  // namespace

std::vector<Constraint> tie_vertices(const VolumeMesh& mesh, std::span<const std::int32_t> vertices,
                                     std::span<const std::int32_t> surface, double largest_gap,
                                     const std::string& origin) {
  if (!(largest_gap >= 0)) throw InputError(origin + ": the largest gap must be a number of 0 or more");
  std::vector<bool> on_faces(static_cast<std::size_t>(mesh.vertex_count()));
  const std::vector<FaceCorner> corners = boundary_corners(mesh, surface);
  for (const FaceCorner& corner : corners) on_faces[static_cast<std::size_t>(corner.vertex)] = true;
  if (corners.empty()) throw InputError(origin + ": the surface has no boundary face whose vertices are all in it");
  std::vector<std::int32_t> tied;
  for (const std::int32_t v : vertices) {
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError(origin + ": vertex " + std::to_string(v) + " is outside 0 .. " +
                       std::to_string(mesh.vertex_count() - 1));
    if (!on_faces[static_cast<std::size_t>(v)]) tied.push_back(v);
  }
  std::vector<Constraint> constraints;
  if (tied.empty()) return constraints;
  EmbedReport report;
  const SurfaceEmbedding places = embed_surface(elements_at(mesh, corners), points_of(mesh, tied),
                                                {.max_distance = std::numeric_limits<double>::infinity()}, &report);
  if (report.largest_distance > largest_gap)
    throw InputError(origin + ": vertex " + std::to_string(tied[static_cast<std::size_t>(report.farthest_vertex)]) +
                     " is " + number_text(report.largest_distance, 3) + " m from the surface, more than " +
                     number_text(largest_gap, 3) + " m: allow a larger gap, or tie what touches alone");
  constexpr double rounding = 1e-14;
  const auto width = static_cast<std::size_t>(places.width);
  for (std::size_t i = 0; i < tied.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      Constraint follow{{}, origin};
      const auto add = [&](std::int32_t vertex, double factor) {
        DisplacementTerm& term = follow.terms.emplace_back();
        term.vertex = vertex;
        term.factors[c] = factor;
      };
      add(tied[i], 1);
      for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
        if (std::abs(places.weights[k]) <= rounding) continue;
        if (places.volume_vertices[k] == tied[i])
          throw InputError(origin + ": vertex " + std::to_string(tied[i]) +
                           " is of the element at the surface that it would follow; leave it out of what is tied");
        add(places.volume_vertices[k], -places.weights[k]);
      }
      constraints.push_back(std::move(follow));
    }
  return constraints;
}

}  // namespace quartic
