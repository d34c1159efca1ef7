// Middles of boundary edges to where the body's surface is.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/boundary.hpp"
#include "core/surface/box_tree.hpp"
#include "core/surface/nearest_in_triangle.hpp"
#include "core/surface/surface_arrays.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic {
namespace {

constexpr double end_share = 0.01;     // of an edge: how far its ends may lie from the surface
constexpr double middle_share = 0.25;  // of an edge: how far its middle may move

Point3 position(const std::vector<double>& positions, std::int32_t vertex) {
  const double* x = positions.data() + 3 * static_cast<std::size_t>(vertex);
  return {x[0], x[1], x[2]};
}

double distance(const Point3& a, const Point3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Nearest points of a surface.
class Surface {
 public:
  explicit Surface(const TriangleMesh& mesh) : mesh_(mesh), tree_(boxes(mesh)) {}

  [[nodiscard]] Point3 nearest(const Point3& x) const {
    Point3 found{};
    double least = std::numeric_limits<double>::infinity();
    tree_.for_each_near(x, [&](std::size_t triangle) {
      std::array<Eigen::Vector3d, 3> corners;
      for (std::size_t i = 0; i < 3; ++i) {
        const Point3 corner = position(mesh_.vertices, mesh_.triangles[3 * triangle + i]);
        corners[i] = {corner[0] - x[0], corner[1] - x[1], corner[2] - x[2]};
      }
      const Point3 share = nearest_in_triangle(corners[0], corners[1], corners[2]);
      const Eigen::Vector3d at = share[0] * corners[0] + share[1] * corners[1] + share[2] * corners[2];
      if (at.squaredNorm() < least) {
        least = at.squaredNorm();
        found = {x[0] + at[0], x[1] + at[1], x[2] + at[2]};
      }
      return at.squaredNorm();
    });
    return found;
  }

 private:
  static std::vector<Box3> boxes(const TriangleMesh& mesh) {
    std::vector<Box3> boxes;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
      boxes.push_back(Box3::of_vertices(mesh.vertices, {mesh.triangles.data() + t, 3}));
    return boxes;
  }

  const TriangleMesh& mesh_;
  BoxTree tree_;
};

// An edge of the boundary.
struct Edge {
  std::int32_t from = 0, to = 0, middle = 0;
  Point3 straight{};  // where the middle was
  bool curved = false;
};

std::vector<Edge> boundary_edges(const VolumeMesh& mesh) {
  std::map<std::int32_t, Edge> edges;  // by middle
  for (const BoundaryFace& face : boundary_faces(mesh)) {
    const std::size_t count = face.corners[3] < 0 ? 3 : 4;
    for (std::size_t i = 0; i < count; ++i)
      if (const std::int32_t middle = face.middles[i]; middle >= 0)
        edges[middle] = {face.corners[i], face.corners[(i + 1) % count], middle, position(mesh.vertices, middle)};
  }
  std::vector<Edge> list;
  for (const auto& [middle, edge] : edges) list.push_back(edge);
  return list;
}

void put(VolumeMesh& mesh, std::int32_t vertex, const Point3& x) {
  std::copy(x.begin(), x.end(), mesh.vertices.begin() + 3 * std::ptrdiff_t{vertex});
}

// Moves the middles that may go, each on its own.
void curve(VolumeMesh& mesh, std::vector<Edge>& edges, const Surface& surface) {
  parallel_ranges(std::ssize(edges), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Edge& edge = edges[static_cast<std::size_t>(i)];
      const Point3 a = position(mesh.vertices, edge.from), b = position(mesh.vertices, edge.to);
      const double length = distance(a, b);
      if (!(distance(a, surface.nearest(a)) <= end_share * length) ||
          !(distance(b, surface.nearest(b)) <= end_share * length))
        continue;
      const Point3 target = surface.nearest(edge.straight);
      if (!(distance(edge.straight, target) <= middle_share * length)) continue;
      edge.curved = true;
      put(mesh, edge.middle, target);
    }
  });
}

// Vertices of the elements that aren't proper although they were.
std::set<std::int32_t> vertices_of_folded(const VolumeMesh& mesh,
                                          const std::vector<std::vector<ElementShape>>& before) {
  const double error = coordinate_error(mesh);
  std::set<std::int32_t> vertices;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const ElementBlock& block = mesh.blocks[b];
    const ElementRuler ruler(element_table(block.type));
    for (std::int64_t e = 0; e < block.count(); ++e)
      if (const auto element = block.element(e);
          ruler.shape(mesh, element, error) != before[b][static_cast<std::size_t>(e)])
        vertices.insert(element.begin(), element.end());
  }
  return vertices;
}

std::vector<std::vector<ElementShape>> shapes_of(const VolumeMesh& mesh) {
  const double error = coordinate_error(mesh);
  std::vector<std::vector<ElementShape>> shapes;
  for (const ElementBlock& block : mesh.blocks) {
    const ElementRuler ruler(element_table(block.type));
    shapes.emplace_back(static_cast<std::size_t>(block.count()));
    for (std::int64_t e = 0; e < block.count(); ++e)
      shapes.back()[static_cast<std::size_t>(e)] = ruler.shape(mesh, block.element(e), error);
  }
  return shapes;
}

// Straightens edges of elements that became folded, until there are none: each round straightens one at least.
std::int64_t straighten_folded(VolumeMesh& mesh, std::vector<Edge>& edges,
                               const std::vector<std::vector<ElementShape>>& before) {
  std::int64_t straightened = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const std::set<std::int32_t> folded = vertices_of_folded(mesh, before);
    for (Edge& edge : edges) {
      if (!edge.curved || !folded.contains(edge.middle)) continue;
      put(mesh, edge.middle, edge.straight);
      edge.curved = false;
      changed = true;
      ++straightened;
    }
  }
  return straightened;
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

BoundaryCurving curve_boundary(VolumeMesh& mesh, const TriangleMesh& surface) {
  check(mesh, surface);
  std::vector<Edge> edges = boundary_edges(mesh);
  const auto before = shapes_of(mesh);
  curve(mesh, edges, Surface(surface));
  BoundaryCurving curving;
  curving.would_fold = straighten_folded(mesh, edges, before);
  for (const Edge& edge : edges) {
    curving.curved += edge.curved;
    if (edge.curved)
      curving.largest_distance =
          std::max(curving.largest_distance, distance(edge.straight, position(mesh.vertices, edge.middle)));
  }
  curving.off_surface = std::ssize(edges) - curving.curved - curving.would_fold;
  return curving;
}

}  // namespace quartic
