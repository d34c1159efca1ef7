// Which element each vertex of a surface hangs on, and with which weights.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/number_text.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "core/surface/element_tree.hpp"
#include "core/surface/element_weights.hpp"
#include "core/surface/surface_arrays.hpp"
#include "quartic/error.hpp"
#include "quartic/surface_embedding.hpp"

namespace quartic {
namespace {

constexpr std::int64_t places_per_task = 256;

/// Where one vertex hangs.
struct Place {
  MeshElement element;
  Point3 local{};
  double distance = 0;  // outside [m]
};

/// Elements of a mesh by position.
class Elements {
 public:
  explicit Elements(const VolumeMesh& mesh) : mesh_(mesh), tree_(mesh) {
    const auto [x0, y0, z0, x1, y1, z1] = element_box(mesh);
    box_ = {{x0, y0, z0}, {x1, y1, z1}};
    for (const ElementBlock& block : mesh.blocks) {
      tables_.push_back(&element_table(block.type));
      triangles_.push_back(face_triangles(*tables_.back()));
    }
  }

  [[nodiscard]] const Box3& box() const { return box_; }

  [[nodiscard]] Place find(const Point3& point) const {
    if (const auto around = element_around(point)) return *around;
    return nearest_element(point);
  }

  void weigh(const Point3& point, const Place& place, std::span<std::int32_t> vertices,
             std::span<double> weights) const {
    const auto element = vertices_of(place.element);
    std::copy(element.begin(), element.end(), vertices.begin());
    point_weights(table_of(place.element), seen_from(point, element), place.local, weights);
  }

  [[nodiscard]] double size(const MeshElement& place) const {
    return Box3::of_vertices(mesh_.vertices, vertices_of(place)).diagonal();
  }

 private:
  const ElementTable& table_of(const MeshElement& place) const {
    return *tables_[static_cast<std::size_t>(place.block)];
  }
  std::span<const std::int32_t> vertices_of(const MeshElement& place) const {
    return mesh_.blocks[static_cast<std::size_t>(place.block)].element(place.element);
  }
  Point3 position(std::int32_t vertex) const {
    const auto v = 3 * static_cast<std::size_t>(vertex);
    return {mesh_.vertices[v], mesh_.vertices[v + 1], mesh_.vertices[v + 2]};
  }
  RelativePositions seen_from(const Point3& point, std::span<const std::int32_t> element) const {
    RelativePositions x;
    for (std::size_t a = 0; a < element.size(); ++a) {
      x[a] = position(element[a]);
      for (std::size_t c = 0; c < 3; ++c) x[a][c] -= point[c];
    }
    return x;
  }

  std::optional<Place> element_around(const Point3& point) const {
    std::optional<Place> found;
    tree_.for_each_around(point, [&](const MeshElement& place) {
      if (found && found->element < place) return;
      if (const auto local = local_coordinates(table_of(place), seen_from(point, vertices_of(place))))
        found = Place{place, *local, 0};
    });
    return found;
  }

  Place nearest_element(const Point3& point) const {
    std::optional<Place> found;
    double nearest = std::numeric_limits<double>::infinity();
    tree_.for_each_near(point, [&](const MeshElement& place) {
      const NearestPoint at = nearest_point(table_of(place), triangles_[static_cast<std::size_t>(place.block)],
                                            seen_from(point, vertices_of(place)));
      if (!found || at.squared_distance < nearest || (at.squared_distance == nearest && place < found->element)) {
        nearest = at.squared_distance;
        found = Place{place, at.local, std::sqrt(nearest)};
      }
      return at.squared_distance;
    });
    if (!found || !std::isfinite(found->distance))
      throw InputError("a vertex of the surface at (" + number_text(point[0], 3) + ", " + number_text(point[1], 3) +
                       ", " + number_text(point[2], 3) + ") m is too far from the volume to compute a distance");
    return *found;
  }

  const VolumeMesh& mesh_;
  ElementTree tree_;
  Box3 box_;
  std::vector<const ElementTable*> tables_;                 // of each block
  std::vector<std::vector<std::array<int, 3>>> triangles_;  // of its type's faces
};

void require_embeddable(const VolumeMesh& mesh, const TriangleMesh& surface, const EmbedOptions& options) {
  require_sound_arrays(surface);
  if (surface.triangles.empty()) throw InputError("the surface has no triangles: there is nothing to embed");
  if (mesh.element_count() == 0) throw InputError("the mesh has no elements that a surface could be embedded in");
  require_indices(mesh);
  for (const ElementBlock& block : mesh.blocks) static_cast<void>(element_table(block.type));
  if (options.max_distance && !(*options.max_distance >= 0))
    throw InputError("the largest distance of a surface from the volume must be a number of 0 or more, not " +
                     number_text(*options.max_distance, 6));
}

Point3 position(const TriangleMesh& surface, std::size_t vertex) {
  return {surface.vertices[3 * vertex], surface.vertices[3 * vertex + 1], surface.vertices[3 * vertex + 2]};
}

std::vector<bool> vertices_in_triangles(const TriangleMesh& surface) {
  std::vector<bool> used(static_cast<std::size_t>(surface.vertex_count()));
  for (const std::int32_t v : surface.triangles) used[static_cast<std::size_t>(v)] = true;
  return used;
}

Box3 box_of(const TriangleMesh& surface) {
  return Box3::of_vertices(surface.vertices, surface.triangles);
}

std::string extent_text(const Box3& box) {
  std::string text;
  for (std::size_t c = 0; c < 3; ++c) text += (c > 0 ? " x " : "") + number_text(box.high[c] - box.low[c], 3);
  return text + " m from (" + number_text(box.low[0], 3) + ", " + number_text(box.low[1], 3) + ", " +
         number_text(box.low[2], 3) + ")";
}

// Beyond this factor between the sizes of surface and volume, one of them is likely in other units.
constexpr double other_units = 50;

std::string unit_text(const Box3& surface, const Box3& volume) {
  const double ratio = surface.diagonal() / volume.diagonal();
  if (ratio > other_units)
    return "the surface is " + number_text(ratio, 3) + " times as large as the volume: are both in metres?";
  if (ratio * other_units < 1)
    return "the surface is " + number_text(1 / ratio, 3) + " times smaller than the volume: are both in metres?";
  return "";
}

void fill_report(const TriangleMesh& surface, const std::vector<Place>& places, const Elements& elements,
                 EmbedReport& report) {
  const std::vector<bool> used = vertices_in_triangles(surface);
  std::int64_t far = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    const double distance = places[v].distance;
    ++(distance > 0 ? report.outside : report.inside);
    if (!used[v] || distance == 0) continue;
    if (distance > elements.size(places[v].element)) ++far;
    if (distance <= report.largest_distance) continue;
    report.largest_distance = distance;
    report.farthest_vertex = static_cast<std::int64_t>(v);
  }
  if (far > 0)
    report.warnings.push_back((far == 1 ? "1 surface vertex lies" : std::to_string(far) + " surface vertices lie") +
                              std::string(" farther outside the volume than an element is large, up to ") +
                              number_text(report.largest_distance, 3) + " m (vertex " +
                              std::to_string(report.farthest_vertex) +
                              ", counted from 0): there, the strain of the nearest element is magnified");
  if (std::string units = unit_text(box_of(surface), elements.box()); !units.empty())
    report.warnings.push_back(std::move(units));
}

void require_near(const TriangleMesh& surface, const EmbedReport& report, double most, const Box3& volume) {
  if (report.largest_distance <= most) return;
  const Box3 box = box_of(surface);
  const std::string units = unit_text(box, volume);
  throw InputError("vertex " + std::to_string(report.farthest_vertex) + " of the surface, counted from 0, lies " +
                   number_text(report.largest_distance, 3) + " m outside the volume, more than " +
                   number_text(most, 3) + " m: the surface is " + extent_text(box) + ", the volume " +
                   extent_text(volume) + (units.empty() ? "; do they belong together?" : "; " + units));
}

}  // namespace

SurfaceEmbedding embed_surface(const VolumeMesh& mesh, const TriangleMesh& surface, const EmbedOptions& options,
                               EmbedReport* report) {
  require_embeddable(mesh, surface, options);
  const Elements elements(mesh);
  const auto count = static_cast<std::size_t>(surface.vertex_count());
  SurfaceEmbedding embedding{surface.vertices, surface.triangles, 0, {}, {}};
  for (const ElementBlock& block : mesh.blocks)
    if (block.count() > 0) embedding.width = std::max(embedding.width, element_vertex_count(block.type));
  const auto width = static_cast<std::size_t>(embedding.width);
  embedding.volume_vertices.assign(count * width, 0);
  embedding.weights.assign(count * width, 0);
  std::vector<Place> places(count);
  parallel_for((std::ssize(places) + places_per_task - 1) / places_per_task, [&](std::int64_t task) {
    const auto begin = static_cast<std::size_t>(task * places_per_task);
    for (std::size_t v = begin; v < std::min(begin + places_per_task, count); ++v) {
      const Point3 point = position(surface, v);
      places[v] = elements.find(point);
      elements.weigh(point, places[v], std::span(embedding.volume_vertices).subspan(v * width, width),
                     std::span(embedding.weights).subspan(v * width, width));
    }
  });
  EmbedReport own_report;
  EmbedReport& found = report != nullptr ? *report : own_report;
  found = {};
  fill_report(surface, places, elements, found);
  require_near(surface, found, options.max_distance.value_or(0.5 * elements.box().diagonal()), elements.box());
  return embedding;
}

}  // namespace quartic
