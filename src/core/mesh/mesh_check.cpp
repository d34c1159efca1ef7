#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/base/number_text.hpp"
#include "core/base/thread_pool.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/elements.hpp"
#include "core/mesh/attachments.hpp"
#include "core/mesh/coincident_vertices.hpp"
#include "core/mesh/components.hpp"
#include "core/mesh/folded_elements.hpp"
#include "core/mesh/interface_check.hpp"
#include "core/mesh/repeated_elements.hpp"
#include "core/mesh/unit_hint.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// Fills a report step by step; each step adds its own warnings.
class MeshCheck {
 public:
  explicit MeshCheck(const VolumeMesh& mesh) : mesh_(mesh) { report_.warnings = mesh.warnings; }

  MeshReport run() {
    measure_box();
    if (mesh_.element_count() == 0) warn("the mesh has no volume elements");
    if (!arrays_are_whole() || !indices_are_valid()) return report_;
    check_vertex_sets();
    const bool supported = all_types_supported();
    measure_elements();
    count_repeated_elements();
    check_components();
    check_regions(supported);
    if (supported && sound_) check_interfaces();
    report_.hints = unit_hints(mesh_);
    return report_;
  }

 private:
  void warn(std::string text) { report_.warnings.push_back(std::move(text)); }

  void measure_box() {
    std::int64_t not_finite = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      double low = INFINITY, high = -INFINITY;
      for (std::size_t i = c; i < mesh_.vertices.size(); i += 3) {
        not_finite += !std::isfinite(mesh_.vertices[i]);
        low = std::min(low, mesh_.vertices[i]);
        high = std::max(high, mesh_.vertices[i]);
      }
      if (mesh_.vertices.empty()) low = high = 0;
      report_.bounding_box[c] = low;
      report_.bounding_box[c + 3] = high;
    }
    if (not_finite == 0) return;
    warn(counted(not_finite, "coordinate", "isn't a finite number", "aren't finite numbers"));
    sound_ = false;
  }

  bool arrays_are_whole() {
    bool whole = mesh_.vertices.size() % 3 == 0;
    if (!whole) warn("the vertices' coordinates are no multiple of three");
    for (const ElementBlock& block : mesh_.blocks) {
      const auto width = static_cast<std::size_t>(element_vertex_count(block.type));
      if (block.vertices.size() % width == 0) continue;
      warn("the vertex numbers of the " + std::string(element_type_name(block.type)) + " block are no multiple of " +
           std::to_string(width));
      whole = false;
    }
    return whole;
  }

  bool indices_are_valid() {
    std::int64_t bad = 0;
    for (const ElementBlock& block : mesh_.blocks)
      bad += std::count_if(block.vertices.begin(), block.vertices.end(),
                           [&](auto v) { return v < 0 || v >= mesh_.vertex_count(); });
    if (bad > 0) warn(counted(bad, "vertex reference", "is", "are") + " outside the mesh's vertices");
    return bad == 0;
  }

  void check_vertex_sets() {
    for (const auto& [name, set] : mesh_.vertex_sets) {
      const auto bad =
          std::count_if(set.begin(), set.end(), [&](auto v) { return v < 0 || v >= mesh_.vertex_count(); });
      if (bad == 0) continue;
      warn("vertex set '" + name + "': " + counted(bad, "number", "is", "are") + " outside the mesh's vertices");
      sound_ = false;
    }
  }

  bool all_types_supported() {
    bool supported = true;
    for (const ElementBlock& block : mesh_.blocks) {
      if (element_supported(block.type)) continue;
      warn(counted(block.count(), "element", "is", "are") + " of type " + std::string(element_type_name(block.type)) +
           ", which can't be simulated yet; they aren't measured here");
      supported = false;
    }
    return supported;
  }

  void measure_elements() {
    const double position_error = coordinate_error(mesh_);
    std::int64_t element = 0;
    region_volume_.assign(mesh_.regions.size(), 0.0);
    for (const ElementBlock& block : mesh_.blocks) {
      if (!element_supported(block.type)) {
        element += block.count();
        continue;
      }
      const ElementRuler ruler(element_table(block.type));
      std::vector<ElementMeasure> measures(static_cast<std::size_t>(block.count()));
      parallel_ranges(block.count(), 4096, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e)
          measures[static_cast<std::size_t>(e)] = ruler.measure(mesh_, block.element(e), position_error);
      });
      for (const ElementMeasure& measure : measures) note_element(element++, measure);
    }
    warn_of_elements();
  }

  void note_element(std::int64_t element, const ElementMeasure& measure) {
    constexpr double sliver_quality = 1e-3;
    if (measure.shape == ElementShape::inverted && report_.inverted++ == 0) report_.first_inverted = element;
    const bool folded = measure.shape == ElementShape::folded;
    const bool degenerate = folded || measure.shape == ElementShape::degenerate;
    if (degenerate && report_.degenerate++ == 0) report_.first_degenerate = element;
    if (folded && folded_.count++ == 0) folded_.first = element;
    // Written so that a quality that isn't a number, of positions near the largest ones, counts as bad.
    if (!degenerate && !(measure.quality >= sliver_quality)) ++report_.slivers;
    if (measure.shape == ElementShape::degenerate && flat_++ == 0) first_flat_ = element;
    if (report_.worst_element < 0 || measure.quality < report_.worst_quality) {
      report_.worst_element = element;
      report_.worst_quality = std::min(report_.worst_quality, measure.quality);
    }
    report_.volume += std::abs(measure.signed_volume);
    if (const auto region = region_of(element); region >= 0)
      region_volume_[static_cast<std::size_t>(region)] += std::abs(measure.signed_volume);
  }

  void warn_of_elements() {
    const std::string total = " of " + std::to_string(mesh_.element_count()) + " elements ";
    if (report_.inverted > 0)
      warn(std::to_string(report_.inverted) + total + (report_.inverted == 1 ? "has" : "have") +
           " the wrong winding (first: element " + std::to_string(report_.first_inverted) +
           ", counted from 0); `reduce` reorients them, unless it is strict");
    measure_fold(mesh_, folded_);
    for (std::string& warning : folded_warnings(folded_, mesh_.element_count())) warn(std::move(warning));
    if (flat_ > 0)
      warn(std::to_string(flat_) + total + (flat_ == 1 ? "has" : "have") + " no volume (first: element " +
           std::to_string(first_flat_) + ", counted from 0); repair " + (flat_ == 1 ? "it" : "them") + " in the mesh");
    if (report_.slivers > 0)
      warn(counted(report_.slivers, "element", "is", "are") + " almost flat (quality below 0.001)" +
           (report_.degenerate > 0
                ? ""
                : "; the worst is element " + std::to_string(report_.worst_element) + ", counted from 0"));
  }

  void count_repeated_elements() {
    report_.repeated_elements = repeated_element_count(mesh_);
    if (report_.repeated_elements > 0)
      warn(counted(report_.repeated_elements, "element", "has", "have") +
           " the same vertices as another one: stiffness and mass count twice there");
  }

  void check_components() {
    const auto components = connected_components(mesh_);
    report_.components = std::ssize(components);
    report_.unreferenced_vertices = mesh_.vertex_count();
    for (const auto& vertices : components) report_.unreferenced_vertices -= std::ssize(vertices);
    report_.unreferenced_vertices -= std::ranges::count(following_points(mesh_), true);
    if (report_.unreferenced_vertices > 0)
      warn(std::to_string(report_.unreferenced_vertices) +
           (report_.unreferenced_vertices == 1 ? " vertex belongs" : " vertices belong") +
           " to no element; `reduce` drops unreferenced vertices");
    if (report_.components > 1)
      warn("the mesh has " + std::to_string(report_.components) + " parts that share no vertex");
    check_coincident_vertices(components);
  }

  void check_coincident_vertices(std::span<const std::vector<std::int32_t>> components) {
    const auto [count, between] = coincident_vertices(mesh_, components, weld_tolerance(mesh_));
    report_.coincident_vertices = count;
    report_.coincident_between_components = between;
    if (between > 0)
      warn(std::to_string(between) + (between == 1 ? " vertex of one part lies" : " vertices of one part lie") +
           " at the place of another part's: they touch without being joined, so each moves on its own; "
           "join them with --weld");
    if (const auto within = count - between; within > 0)
      warn(std::to_string(within) + (within == 1 ? " vertex lies" : " vertices lie") +
           " at the place of another one of the same part; join them with --weld, unless this is a crack");
  }

  [[nodiscard]] std::int32_t region_of(std::int64_t element) const {
    const auto e = static_cast<std::size_t>(element);
    if (e >= mesh_.element_region.size()) return -1;
    const auto region = mesh_.element_region[e];
    return region >= 0 && region < std::ssize(mesh_.regions) ? region : -1;
  }

  void check_regions(bool supported) {
    bool has_mass = supported && mesh_.element_count() > 0;
    std::vector<std::int64_t> elements(mesh_.regions.size(), 0);
    for (std::int64_t e = 0; e < mesh_.element_count(); ++e) {
      const auto region = region_of(e);
      if (region < 0)
        ++report_.elements_without_region;
      else
        ++elements[static_cast<std::size_t>(region)];
    }
    if (report_.elements_without_region > 0) {
      warn(counted(report_.elements_without_region, "element", "belongs", "belong") + " to no region, so " +
           (report_.elements_without_region == 1 ? "it has" : "they have") + " no material");
      has_mass = false;
    }
    double mass = 0;
    for (std::size_t r = 0; r < mesh_.regions.size(); ++r) {
      const Region& region = mesh_.regions[r];
      if (elements[r] == 0) {
        warn("region '" + region.name + "' has no elements");
        ++report_.regions_without_elements;
      }
      if (!region.material) {
        ++report_.regions_without_material;
        warn("region '" + region.name + "' has no material");
        has_mass = false;
        continue;
      }
      try {
        check_material(*region.material, "region '" + region.name + "'");
      } catch (const InputError& error) {
        warn(error.what());
      }
      mass += region.material->density * region_volume_[r];
    }
    if (has_mass) report_.mass = mass;
  }

  void check_interfaces() {
    report_.interface_triangles = interface_triangle_count(mesh_, boundary_triangles(mesh_));
    if (report_.interface_triangles > 0)
      warn(counted(report_.interface_triangles, "boundary triangle", "lies", "lie") +
           " on an internal interface: neighbouring elements touch there without sharing faces (non-conforming mesh)");
  }

  const VolumeMesh& mesh_;
  MeshReport report_;
  FoldedElements folded_;
  std::int64_t flat_ = 0, first_flat_ = -1;
  bool sound_ = true;  // positions are finite, vertex sets name vertices of the mesh
  std::vector<double> region_volume_;
};

}  // namespace

MeshReport check_mesh(const VolumeMesh& mesh) {
  return MeshCheck(mesh).run();
}

}  // namespace quartic
