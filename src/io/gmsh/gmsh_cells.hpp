// Gmsh's numbers for types of cells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "quartic/mesh.hpp"

namespace quartic::io {

struct GmshCell {
  static constexpr int most_nodes = 125;

  int number = 0;         ///< in the file
  std::string_view name;  ///< for counts and messages
  int dimension = 0;
  int nodes = 0;
  std::optional<ElementType> type = {};         ///< of volume cells that a VolumeMesh can hold
  std::array<std::uint8_t, 20> vtk_place = {};  ///< of each node of such a cell in VTK's order
};

/// The cell type with this number, or null.
[[nodiscard]] const GmshCell* find_gmsh_cell(std::int64_t number);

/// The cell type of an element type: each has one.
[[nodiscard]] const GmshCell& gmsh_cell_of(ElementType type);

}  // namespace quartic::io
