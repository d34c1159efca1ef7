#include "core/elements/solid_mass.hpp"

#include <cmath>

#include "core/elements/element_geometry.hpp"

namespace quartic {

std::optional<double> solid_mass(const VolumeMesh& mesh) {
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

}  // namespace quartic
