#include "core/procedural/voxelize.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "quartic/error.hpp"

namespace quartic {

VolumeMesh voxelize(const Solid& solid, int resolution, const std::string& region, const Material& material) {
  VoxelLattice lattice(solid.lower, solid.upper, resolution);
  std::vector<float> depths(lattice.size(), -std::numeric_limits<float>::infinity());  // in cells
  const auto [cells_x, cells_y, cells_z] = lattice.cells();
  for (std::int64_t k = 1; k < cells_z - 1; ++k)
    for (std::int64_t j = 1; j < cells_y - 1; ++j)
      for (std::int64_t i = 1; i < cells_x - 1; ++i) {
        const double depth = solid.depth(lattice.centre(i, j, k));
        depths[lattice.cell(i, j, k)] = static_cast<float>(depth / lattice.edge());
        if (depth > 0) lattice.fill(lattice.cell(i, j, k));
      }
  lattice.remove_hinges([&](std::size_t cell) { return depths[cell]; });
  const auto parts = lattice.parts();
  if (parts.empty()) throw InputError(region + ": no voxel lies inside at resolution " + std::to_string(resolution));
  lattice.keep_only(parts.front());
  VolumeMesh mesh = lattice.mesh();
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions.push_back({region, material});
  return mesh;
}

}  // namespace quartic
