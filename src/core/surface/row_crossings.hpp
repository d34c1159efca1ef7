// Where a surface crosses the lines along an axis through the centres of a lattice's cells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/procedural/voxel_lattice.hpp"
#include "core/surface/surface_shells.hpp"
#include "quartic/surface.hpp"

namespace quartic {

struct RowCrossing {
  std::int64_t j, k;  ///< the row: cells along the next axis and the one after it
  double at;          ///< along the axis, in numbers of the lattice's planes
  double slope;       ///< component of the triangle's unit normal along the axis: positive where a line leaves
  std::int32_t triangle;
};

/// The crossings of all triangles of shells that enclose a volume, in the order of rows and then along the axis,
/// entering ones first. A closed shell is crossed as often by entering as by leaving: a line that meets an edge or a
/// vertex is taken as if it were moved a little, by the same for all triangles (Edelsbrunner & Muecke, Simulation of
/// simplicity, 1990). @param axis 0, 1 or 2
[[nodiscard]] std::vector<RowCrossing> row_crossings(const TriangleMesh& surface, const SurfaceShells& shells,
                                                     const VoxelLattice& lattice, std::size_t axis);

}  // namespace quartic
