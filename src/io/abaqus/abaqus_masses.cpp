#include "io/abaqus/abaqus_masses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "core/base/number_text.hpp"
#include "core/elements/element_geometry.hpp"

namespace quartic::io {
namespace {

std::string kilograms(double mass) {
  constexpr int digits = 4;
  return number_text(mass, digits) + " kg";
}

/// Volume times density [kg], or nothing if a material or an element's volume isn't known.
std::optional<double> mass_of(const VolumeMesh& mesh) {
  double mass = 0;
  std::size_t e = 0;
  for (const ElementBlock& block : mesh.blocks) {
    if (!element_supported(block.type)) return std::nullopt;
    const ElementRuler ruler(element_table(block.type));
    for (std::int64_t row = 0; row < block.count(); ++row, ++e) {
      const std::int32_t region = mesh.element_region[e];
      if (region < 0 || !mesh.regions[static_cast<std::size_t>(region)].material) return std::nullopt;
      mass += std::abs(ruler.signed_volume(mesh, block.element(row))) *
              mesh.regions[static_cast<std::size_t>(region)].material->density;
    }
  }
  return mass;
}

}  // namespace

std::int64_t leave_out_masses(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh, LeftOut& left_out) {
  const AbaqusMass* first = nullptr;
  double sum = 0;
  std::int64_t points = 0;
  for (const PlacedPart& placed : deck.parts)
    for (const AbaqusMass& mass : placed.part->masses) {
      if (first == nullptr) first = &mass;
      std::int64_t count = 0;
      if (!mass.elset.empty()) {
        const auto elements = sets.elements(placed, mass.elset, mass.place);
        count = std::count_if(elements.begin(), elements.end(),
                              [&](auto e) { return deck.elements[static_cast<std::size_t>(e)].row < 0; });
        points += count;
      }
      sum += mass.elset.empty() ? mass.mass : static_cast<double>(count) * mass.mass;
    }
  if (first == nullptr) return 0;
  if (sum == 0) {
    left_out.add(first->place, first->keyword, "no MASS element has it, so that its mass is nowhere");
    return points;
  }
  const std::optional<double> own = mass_of(mesh);
  left_out.add(first->place, first->keyword,
               kilograms(sum) +
                   (points > 0 ? " at " + std::to_string(points) + (points == 1 ? " node" : " nodes") : "") +
                   (own ? " are missing beside the mesh's " + kilograms(*own)
                        : " are missing beside a mesh whose mass isn't known"));
  return points;
}

}  // namespace quartic::io
