#include <atomic>
#include <cstdint>

#include "core/base/thread_pool.hpp"
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
  std::atomic<std::int64_t> inverted = 0;
  for (const ElementBlock& block : moved.blocks) {
    const ElementRuler ruler(element_table(block.type));
    parallel_ranges(block.count(), 4096, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t here = 0;
      for (std::int64_t e = begin; e < end; ++e)
        here += ruler.shape(moved, block.element(e), error) != ElementShape::proper;
      inverted += here;
    });
  }
  return inverted;
}

}  // namespace quartic
