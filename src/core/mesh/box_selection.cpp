// Vertices selected by where they are. Files hold rounded coordinates, and so do boxes that people type: a vertex whose
// last digit differs is meant all the same.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elements/element_geometry.hpp"
#include "core/elements/elements.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/selection.hpp"

namespace quartic {
namespace {

constexpr double default_share = 1e-6;      // of the diagonal
constexpr double just_outside_share = 0.1;  // of a vertex's shortest edge

double distance_from(const std::array<double, 6>& box, const double* x) {
  double outside[3];
  for (std::size_t c = 0; c < 3; ++c) {
    const auto [low, high] = std::minmax(box[c], box[c + 3]);
    outside[c] = std::max({low - x[c], x[c] - high, 0.0});
    if (std::isnan(x[c])) return std::numeric_limits<double>::infinity();
  }
  return std::hypot(outside[0], outside[1], outside[2]);
}

double distance_between(const VolumeMesh& mesh, std::int32_t a, std::int32_t b) {
  const double* x = mesh.vertices.data() + 3 * static_cast<std::size_t>(a);
  const double* y = mesh.vertices.data() + 3 * static_cast<std::size_t>(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

// Of each vertex, to corners and middles; 0 outside all elements of supported types.
std::vector<double> shortest_edges(const VolumeMesh& mesh) {
  std::vector<double> shortest(static_cast<std::size_t>(mesh.vertex_count()), 0.0);
  const auto note = [&](std::int32_t a, std::int32_t b) {
    const double length = distance_between(mesh, a, b);
    for (const std::int32_t v : {a, b}) {
      double& known = shortest[static_cast<std::size_t>(v)];
      if (known == 0 || length < known) known = length;
    }
  };
  for (const ElementBlock& block : mesh.blocks) {
    if (!element_supported(block.type)) continue;
    const auto& edges = element_table(block.type).edges;
    const std::size_t corners =
        static_cast<std::size_t>(element_vertex_count(block.type)) - (is_quadratic(block.type) ? edges.size() : 0);
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const auto element = block.element(e);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const std::int32_t a = element[edges[i][0]], b = element[edges[i][1]];
        if (is_quadratic(block.type)) {
          note(a, element[corners + i]);
          note(b, element[corners + i]);
        } else {
          note(a, b);
        }
      }
    }
  }
  return shortest;
}

void require_numbers(const std::array<double, 6>& box, double tolerance) {
  for (const double x : box)
    if (!std::isfinite(x)) throw InputError("a box to select vertices has a coordinate that isn't a finite number");
  if (!std::isfinite(tolerance) || tolerance < 0)
    throw InputError("the tolerance of a selection must be a number of 0 or more [m]");
}

}  // namespace

double default_selection_tolerance(const VolumeMesh& mesh) {
  require_indices(mesh);
  const std::array<double, 6> box = element_box(mesh);
  return default_share * std::hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
}

BoxSelection select_in_box(const VolumeMesh& mesh, const std::array<double, 6>& box, std::optional<double> tolerance) {
  BoxSelection selection;
  selection.tolerance = tolerance ? *tolerance : default_selection_tolerance(mesh);
  require_numbers(box, selection.tolerance);
  require_indices(mesh);
  const std::vector<double> edges = shortest_edges(mesh);
  const std::vector<bool> follows = following_points(mesh);  // where the body isn't
  selection.nearest_outside_distance = std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < edges.size(); ++v) {
    if (follows[v]) continue;
    const double distance = distance_from(box, mesh.vertices.data() + 3 * v);
    if (distance <= selection.tolerance) {
      selection.vertices.push_back(static_cast<std::int32_t>(v));
      continue;
    }
    if (distance < selection.nearest_outside_distance) {
      selection.nearest_outside_distance = distance;
      selection.nearest_outside = static_cast<std::int32_t>(v);
    }
    if (!(distance < just_outside_share * edges[v])) continue;
    ++selection.just_outside;
    selection.just_outside_distance = std::max(selection.just_outside_distance, distance);
  }
  if (selection.nearest_outside < 0) selection.nearest_outside_distance = 0;
  return selection;
}

std::vector<std::int32_t> vertices_in_box(const VolumeMesh& mesh, const std::array<double, 6>& box) {
  return select_in_box(mesh, box).vertices;
}

}  // namespace quartic
