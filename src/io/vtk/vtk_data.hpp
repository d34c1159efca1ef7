// A VolumeMesh as it grows out of VTK's unstructured grids, whatever the file holds them in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "io/vtk/vtk_cells.hpp"
#include "io/vtk/vtk_regions.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// A grid, or a piece of one.
struct VtkGrid {
  std::vector<double> points;          ///< shape (n, 3)
  std::vector<std::int64_t> nodes;     ///< the points of all cells, 0-based, one cell after the other
  std::vector<std::int64_t> ends;      ///< of each cell in `nodes`
  std::vector<std::int64_t> types;     ///< of each cell, VTK's numbers
  std::vector<std::int64_t> lines;     ///< of each cell in the file, or of none
  std::int64_t line = 0;               ///< of the grid in the file; 0 where it means nothing
  std::vector<VtkArray> cell_arrays;   ///< those that `is_kept_cell_array` names
  std::vector<VtkArray> point_arrays;  ///< those of bytes
};

class VtkMesh {
 public:
  /// @param file its name, for messages
  explicit VtkMesh(std::string file) : file_(std::move(file)) {}

  /// Field data may name regions.
  void add_field_data(std::string_view name) { regions_.add_field_data(name); }
  void warn(std::string warning) { builder_.warn(std::move(warning)); }

  /// Puts a piece beside those before it.
  /// @throws ParseError for cells that refer to missing points, have too few or are of no use
  void add(const VtkGrid& piece);

  /// @throws ParseError if there is no volume cell
  [[nodiscard]] VolumeMesh finish();

 private:
  void add_points(const VtkGrid& piece);
  void add_cells(const VtkGrid& piece, std::int64_t first_point);
  void add_sets(const VtkGrid& piece, std::int64_t first_point);
  const VtkCell& cell_type(const VtkGrid& piece, std::size_t cell, std::int64_t points) const;
  void take_nodes(const VtkGrid& piece, std::size_t cell, std::int64_t begin, std::int64_t first_point);
  [[noreturn]] void fail(const VtkGrid& piece, std::size_t cell, const std::string& what) const;

  std::string file_;
  MeshBuilder builder_;
  VtkRegions regions_;
  std::vector<std::int32_t> nodes_;  // of the cell at hand
  int pieces_with_cells_ = 0;
};

}  // namespace quartic::io
