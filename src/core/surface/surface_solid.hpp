// The solid that closed shells bound: what is in more bodies than cavities; and a lattice laid over it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/procedural/voxel_lattice.hpp"
#include "core/surface/surface_shells.hpp"
#include "quartic/surface.hpp"

namespace quartic {

/// 1 for the cells whose centre lies in a cavity: in bodies, but in as many cavities. Shells that enclose no volume
/// don't count. Shape (lattice.size())
[[nodiscard]] std::vector<std::uint8_t> cells_in_cavities(const TriangleMesh& surface, const SurfaceShells& shells,
                                                          const VoxelLattice& lattice);

/// The thickness [m] of the solid that nine tenths of its surface have at least: across it along the axis of the
/// lattice closest to the normal, times the normal's component, which is exact where both sides are parallel. Sampled
/// on the lines through the centres of cells. Unset where no line meets the solid.
[[nodiscard]] std::optional<double> usual_thickness(const TriangleMesh& surface, const SurfaceShells& shells,
                                                    const VoxelLattice& lattice);

}  // namespace quartic
