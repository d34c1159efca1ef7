// Middles of boundary edges to where the body's surface is.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/boundary.hpp"
#include "core/surface/surface_arrays.hpp"
#include "core/surface/surface_patches.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic {
namespace {

// Shares of an edge's length.
constexpr double end_share = 0.01;      // how far a face's corners may lie from the surface
constexpr double middle_share = 0.25;   // how far a middle may move
constexpr double still_share = 1e-5;    // how far it may lie from the surface and stay
constexpr double meeting_share = 1e-3;  // how far a point of a crease may lie from either side

Point3 position(const std::vector<double>& positions, std::int32_t vertex) {
  const double* x = positions.data() + 3 * static_cast<std::size_t>(vertex);
  return {x[0], x[1], x[2]};
}

double distance(const Point3& a, const Point3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// What an edge's middle has to lie on, for a face of the boundary beside it: a patch of the surface, or, where that has
// none, as at a cut through the body, the face's own plane.
struct Side {
  std::optional<std::int32_t> patch;
  Eigen::Vector3d direction;  // outwards, of length 1
};

enum class EdgeState { off_surface, at_crease, on_surface, curved, folding };

// An edge of the boundary.
struct Edge {
  std::int32_t from = 0, to = 0, middle = 0;
  Point3 straight{};               // where the middle was
  std::vector<std::size_t> faces;  // beside it, as numbers of boundary faces
  EdgeState state = EdgeState::off_surface;
};

std::vector<Edge> boundary_edges(const VolumeMesh& mesh, const std::vector<BoundaryFace>& faces) {
  std::map<std::int32_t, Edge> edges;  // by middle
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const BoundaryFace& face = faces[f];
    const std::size_t count = face.corners[3] < 0 ? 3 : 4;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t middle = face.middles[i];
      if (middle < 0) continue;
      const auto [edge, is_new] = edges.try_emplace(middle);
      if (is_new)
        edge->second = {face.corners[i], face.corners[(i + 1) % count], middle, position(mesh.vertices, middle), {}};
      edge->second.faces.push_back(f);
    }
  }
  std::vector<Edge> list;
  list.reserve(edges.size());
  for (auto& [middle, edge] : edges) list.push_back(std::move(edge));
  return list;
}

void put(VolumeMesh& mesh, std::int32_t vertex, const Point3& x) {
  std::copy(x.begin(), x.end(), mesh.vertices.begin() + 3 * std::ptrdiff_t{vertex});
}

std::vector<Point3> corners_of(const VolumeMesh& mesh, const BoundaryFace& face) {
  std::vector<Point3> corners;
  for (const std::int32_t v : face.corners)
    if (v >= 0) corners.push_back(position(mesh.vertices, v));
  return corners;
}

// Of length 1, or 0 for a face without area.
Eigen::Vector3d normal_of(const std::vector<Point3>& corners) {
  const auto way = [&](std::size_t from, std::size_t to) {
    return Eigen::Vector3d(corners[to][0] - corners[from][0], corners[to][1] - corners[from][1],
                           corners[to][2] - corners[from][2]);
  };
  const bool triangle = corners.size() == 3;
  return (triangle ? way(0, 1) : way(0, 2)).cross(triangle ? way(0, 2) : way(1, 3)).stableNormalized();
}

// A face lies on a patch if all its corners do; on the one nearest to its middle if there are several.
Side side_of(const VolumeMesh& mesh, const BoundaryFace& face, double length, const SurfacePatches& surface) {
  const std::vector<Point3> corners = corners_of(mesh, face);
  Side side{{}, normal_of(corners)};
  std::vector<std::int32_t> common = surface.around(corners[0], side.direction, end_share * length);
  Point3 centre{};
  for (const Point3& corner : corners) {
    const std::vector<std::int32_t> here = surface.around(corner, side.direction, end_share * length);
    std::erase_if(common, [&](std::int32_t patch) { return !std::binary_search(here.begin(), here.end(), patch); });
    for (std::size_t axis = 0; axis < 3; ++axis) centre[axis] += corner[axis] / static_cast<double>(corners.size());
  }
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t patch : common) {
    const double reach = distance(centre, corners[0]) + end_share * length;  // a corner is on it
    const std::optional<Point3> nearest = surface.nearest(centre, patch, side.direction, reach);
    const double away = nearest ? distance(centre, *nearest) : reach;
    if (away < least) {
      least = away;
      side.patch = patch;
    }
  }
  return side;
}

// The sides of an edge, those on one patch as one.
std::vector<Side> sides_of(const VolumeMesh& mesh, const Edge& edge, const std::vector<BoundaryFace>& faces,
                           double length, const SurfacePatches& surface) {
  std::vector<Side> sides;
  for (const std::size_t f : edge.faces) {
    const Side side = side_of(mesh, faces[f], length, surface);
    const auto same = std::find_if(sides.begin(), sides.end(),
                                   [&](const Side& other) { return side.patch && other.patch == side.patch; });
    if (same == sides.end())
      sides.push_back(side);
    else
      same->direction += side.direction;
  }
  return sides;
}

std::optional<Point3> onto(const Side& side, const Point3& x, const Point3& straight, double reach,
                           const SurfacePatches& surface) {
  if (side.patch) return surface.nearest(x, *side.patch, side.direction, reach);
  const Eigen::Vector3d from(x[0] - straight[0], x[1] - straight[1], x[2] - straight[2]);
  const Eigen::Vector3d way = -side.direction.dot(from) * side.direction;
  return Point3{x[0] + way[0], x[1] + way[1], x[2] + way[2]};
}

// A point on all sides near the straight middle, by projections onto one after the other. Sides that meet at an angle
// of t come nearer by cos(t)^2 each round: by 0.82 at the least angle of a crease.
std::optional<Point3> meeting_point(const std::vector<Side>& sides, const Point3& straight, double length,
                                    const SurfacePatches& surface) {
  constexpr int rounds = 200;
  Point3 x = straight;
  double step = 0;
  for (int round = 0; round < rounds; ++round) {
    step = 0;
    for (const Side& side : sides) {
      const std::optional<Point3> next = onto(side, x, straight, middle_share * length, surface);
      if (!next) return {};
      step = std::max(step, distance(x, *next));
      x = *next;
    }
    if (sides.size() == 1) return x;
    if (step <= 1e-9 * length) break;
  }
  return step <= meeting_share * length ? std::optional(x) : std::nullopt;
}

void curve_edge(VolumeMesh& mesh, Edge& edge, const std::vector<BoundaryFace>& faces, const SurfacePatches& surface) {
  const double length = distance(position(mesh.vertices, edge.from), position(mesh.vertices, edge.to));
  const std::vector<Side> sides = sides_of(mesh, edge, faces, length, surface);
  if (std::none_of(sides.begin(), sides.end(), [](const Side& side) { return side.patch.has_value(); })) return;
  const std::optional<Point3> target = meeting_point(sides, edge.straight, length, surface);
  if (!target && sides.size() > 1) edge.state = EdgeState::at_crease;
  if (!target || !(distance(edge.straight, *target) <= middle_share * length)) return;
  edge.state = EdgeState::on_surface;
  if (distance(edge.straight, *target) <= still_share * length) return;
  edge.state = EdgeState::curved;
  put(mesh, edge.middle, *target);
}

// Moves the middles that may go, each on its own.
void curve(VolumeMesh& mesh, std::vector<Edge>& edges, const std::vector<BoundaryFace>& faces,
           const SurfacePatches& surface) {
  parallel_ranges(std::ssize(edges), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) curve_edge(mesh, edges[static_cast<std::size_t>(i)], faces, surface);
  });
}

using Shapes = std::vector<std::vector<ElementShape>>;  // of each block's elements

Shapes shapes_of(const VolumeMesh& mesh) {
  constexpr std::int64_t elements_per_task = 4096;
  const double error = coordinate_error(mesh);
  Shapes shapes;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementRuler ruler(element_table(block.type));
    std::vector<ElementShape>& of_block = shapes.emplace_back(static_cast<std::size_t>(block.count()));
    parallel_ranges(block.count(), elements_per_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e)
        of_block[static_cast<std::size_t>(e)] = ruler.shape(mesh, block.element(e), error);
    });
  }
  return shapes;
}

// Vertices of the elements that aren't proper, and not only because they were so before.
std::set<std::int32_t> vertices_of_folded(const VolumeMesh& mesh, const Shapes& before) {
  const Shapes now = shapes_of(mesh);
  std::set<std::int32_t> vertices;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
    for (std::size_t e = 0; e < now[b].size(); ++e)
      if (now[b][e] != ElementShape::proper && now[b][e] != before[b][e]) {
        const auto element = mesh.blocks[b].element(static_cast<std::int64_t>(e));
        vertices.insert(element.begin(), element.end());
      }
  return vertices;
}

// Straightens edges of elements that became folded, until there are none: each round straightens one at least.
void straighten_folded(VolumeMesh& mesh, std::vector<Edge>& edges, const Shapes& before) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::set<std::int32_t> folded = vertices_of_folded(mesh, before);
    for (Edge& edge : edges) {
      if (edge.state != EdgeState::curved || !folded.contains(edge.middle)) continue;
      put(mesh, edge.middle, edge.straight);
      edge.state = EdgeState::folding;
      changed = true;
    }
  }
}

double volume_of(const VolumeMesh& mesh) {
  double volume = 0;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementRuler ruler(element_table(block.type));
    for (std::int64_t e = 0; e < block.count(); ++e) volume += std::abs(ruler.signed_volume(mesh, block.element(e)));
  }
  return volume;
}

void check(const VolumeMesh& mesh, const TriangleMesh& surface) {
  require_indices(mesh);
  require_sound_arrays(surface);
  if (surface.triangles.empty()) throw InputError("the surface to curve the boundary by has no triangles");
  if (std::none_of(mesh.blocks.begin(), mesh.blocks.end(),
                   [](const ElementBlock& block) { return is_quadratic(block.type) && block.count() > 0; }))
    throw InputError("only edges of quadratic elements can be curved; make_quadratic makes them");
}

}  // namespace

bool BoundaryCurving::away_from_surface() const {
  constexpr double share = 1e-3;
  return enclosed_volume && std::abs(volume_after - *enclosed_volume) >
                                std::abs(volume_before - *enclosed_volume) + share * *enclosed_volume;
}

BoundaryCurving curve_boundary(VolumeMesh& mesh, const TriangleMesh& surface) {
  check(mesh, surface);
  BoundaryCurving curving;
  curving.volume_before = volume_of(mesh);
  curving.enclosed_volume = check_surface(surface).enclosed_volume;
  const bool inside_out = curving.enclosed_volume.value_or(0) < 0;
  if (inside_out) curving.enclosed_volume = -*curving.enclosed_volume;

  const std::vector<BoundaryFace> faces = boundary_faces(mesh);
  std::vector<Edge> edges = boundary_edges(mesh, faces);
  const auto before = shapes_of(mesh);
  curve(mesh, edges, faces, SurfacePatches(surface, inside_out));
  straighten_folded(mesh, edges, before);

  const auto count = [&](EdgeState state) {
    return std::count_if(edges.begin(), edges.end(), [state](const Edge& edge) { return edge.state == state; });
  };
  curving.curved = count(EdgeState::curved);
  curving.on_surface = count(EdgeState::on_surface);
  curving.off_surface = count(EdgeState::off_surface);
  curving.at_crease = count(EdgeState::at_crease);
  curving.would_fold = count(EdgeState::folding);
  for (const Edge& edge : edges)
    curving.largest_distance =
        std::max(curving.largest_distance, distance(edge.straight, position(mesh.vertices, edge.middle)));
  curving.volume_after = volume_of(mesh);
  return curving;
}

}  // namespace quartic
