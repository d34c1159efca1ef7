#include <string>

#include "core/elements/dof_vector_check.hpp"
#include "core/elements/element_geometry.hpp"
#include "core/elements/quadrature.hpp"
#include "quartic/statics.hpp"

namespace quartic {

std::int64_t inverted_elements(const VolumeMesh& mesh, std::span<const double> u) {
  require_indices(mesh);
  require_dof_vector(u, std::ssize(mesh.vertices), "the displacement");
  VolumeMesh moved;
  moved.vertices = mesh.vertices;
  moved.blocks = mesh.blocks;
  for (std::size_t i = 0; i < u.size(); ++i) moved.vertices[i] += u[i];
  const double error = coordinate_error(moved);
  std::int64_t inverted = 0;
  for (const ElementBlock& block : moved.blocks) {
    const ElementRuler ruler(element_table(block.type));
    for (std::int64_t e = 0; e < block.count(); ++e)
      if (ruler.measure(moved, block.element(e), error).shape != ElementShape::proper) ++inverted;
  }
  return inverted;
}

}  // namespace quartic
