#include <algorithm>
#include <cmath>
#include <string>

#include "core/components.hpp"
#include "core/element_geometry.hpp"
#include "core/elements.hpp"
#include "core/interface_check.hpp"
#include "core/repeated_elements.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

// "1 element is", "5 elements are"
std::string counted(std::int64_t count, const std::string& noun, const char* one, const char* many) {
  return std::to_string(count) + " " + noun + (count == 1 ? " " : "s ") + (count == 1 ? one : many);
}

/// Fills a report step by step; each step adds its own warnings.
class MeshCheck {
 public:
  explicit MeshCheck(const VolumeMesh& mesh) : mesh_(mesh) { report_.warnings = mesh.warnings; }

  MeshReport run() {
    measure_box();
    if (mesh_.element_count() == 0) warn("the mesh has no volume elements");
    if (!indices_are_valid()) return report_;
    const bool supported = all_types_supported();
    measure_elements();
    count_repeated_elements();
    count_components();
    check_regions(supported);
    if (supported) check_interfaces();
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
    if (not_finite > 0) warn(counted(not_finite, "coordinate", "isn't a finite number", "aren't finite numbers"));
  }

  bool indices_are_valid() {
    std::int64_t bad = 0;
    for (const ElementBlock& block : mesh_.blocks)
      bad += std::count_if(block.vertices.begin(), block.vertices.end(),
                           [&](auto v) { return v < 0 || v >= mesh_.vertex_count(); });
    if (bad > 0) warn(counted(bad, "vertex reference", "is", "are") + " outside the mesh's vertices");
    return bad == 0;
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
    constexpr double sliver_quality = 1e-3;
    const double position_error = coordinate_error(mesh_);
    std::int64_t slivers = 0, element = 0;
    region_volume_.assign(mesh_.regions.size(), 0.0);
    for (const ElementBlock& block : mesh_.blocks) {
      if (!element_supported(block.type)) {
        element += block.count();
        continue;
      }
      const ElementRuler ruler(element_table(block.type));
      for (std::int64_t e = 0; e < block.count(); ++e, ++element) {
        const ElementMeasure measure = ruler.measure(mesh_, block.element(e), position_error);
        if (measure.shape == ElementShape::inverted && report_.inverted++ == 0) report_.first_inverted = element;
        if (measure.shape == ElementShape::degenerate && report_.degenerate++ == 0) report_.first_degenerate = element;
        if (measure.shape != ElementShape::degenerate && measure.quality < sliver_quality) ++slivers;
        report_.worst_quality = std::min(report_.worst_quality, measure.quality);
        report_.volume += std::abs(measure.signed_volume);
        if (const auto region = region_of(element); region >= 0)
          region_volume_[static_cast<std::size_t>(region)] += std::abs(measure.signed_volume);
      }
    }
    const std::string total = " of " + std::to_string(mesh_.element_count()) + " elements ";
    if (report_.inverted > 0)
      warn(std::to_string(report_.inverted) + total + (report_.inverted == 1 ? "has" : "have") +
           " the wrong winding (first: element " + std::to_string(report_.first_inverted) +
           ", counted from 0); reducing the mesh turns them round");
    if (report_.degenerate > 0)
      warn(std::to_string(report_.degenerate) + total + (report_.degenerate == 1 ? "has" : "have") +
           " no volume or folded corners (first: element " + std::to_string(report_.first_degenerate) +
           ", counted from 0); mend them in the mesh");
    if (slivers > 0) warn(counted(slivers, "element", "is", "are") + " almost flat (quality below 0.001)");
  }

  void count_repeated_elements() {
    report_.repeated_elements = repeated_element_count(mesh_);
    if (report_.repeated_elements > 0)
      warn(counted(report_.repeated_elements, "element", "has", "have") +
           " the same vertices as another one: stiffness and mass count twice there");
  }

  void count_components() {
    const auto components = connected_components(mesh_);
    report_.components = std::ssize(components);
    report_.unreferenced_vertices = mesh_.vertex_count();
    for (const auto& vertices : components) report_.unreferenced_vertices -= std::ssize(vertices);
    if (report_.unreferenced_vertices > 0)
      warn(std::to_string(report_.unreferenced_vertices) +
           (report_.unreferenced_vertices == 1 ? " vertex belongs" : " vertices belong") +
           " to no element; reducing the mesh drops unreferenced vertices");
    if (report_.components > 1)
      warn("the mesh has " + std::to_string(report_.components) + " parts that share no vertex");
  }

  [[nodiscard]] std::int32_t region_of(std::int64_t element) const {
    const auto e = static_cast<std::size_t>(element);
    if (e >= mesh_.element_region.size()) return -1;
    const auto region = mesh_.element_region[e];
    return region < std::ssize(mesh_.regions) ? region : -1;
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
      if (elements[r] == 0) warn("region '" + region.name + "' has no elements");
      if (!region.material) {
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
    const auto count = interface_triangle_count(mesh_, boundary_triangles(mesh_));
    if (count > 0)
      warn(counted(count, "boundary triangle", "lies", "lie") +
           " on an internal interface: neighbouring elements touch there without sharing faces (non-conforming mesh)");
  }

  const VolumeMesh& mesh_;
  MeshReport report_;
  std::vector<double> region_volume_;
};

}  // namespace

MeshReport check_mesh(const VolumeMesh& mesh) {
  return MeshCheck(mesh).run();
}

}  // namespace quartic
