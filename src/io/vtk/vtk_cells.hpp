// VTK's numbers for types of cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quartic/mesh.hpp"

namespace quartic::io {

struct VtkCell {
  int number = 0;         ///< in the file
  std::string_view name;  ///< for counts and messages
  int dimension = 0;
  int points = 0;                        ///< 0: any number
  std::optional<ElementType> type = {};  ///< of volume cells that a VolumeMesh can hold
};

/// VTK_VOXEL, a hexahedron along the axes: the only one whose points come in another order than those of an element.
inline constexpr int vtk_voxel = 11;

/// The cell type with this number, or null. Of those that come with several numbers of points, the one with `points`;
/// where there is none, the first with that number of the type: the caller compares.
[[nodiscard]] const VtkCell* find_vtk_cell(std::int64_t number, std::int64_t points);

}  // namespace quartic::io
