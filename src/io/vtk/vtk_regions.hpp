// Regions, and their materials, out of the numbers that VTK's files keep for each cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/mesh/mesh_builder.hpp"
#include "quartic/material.hpp"

namespace quartic::io {

/// One number for each cell or point.
struct VtkArray {
  std::string name;
  std::vector<double> values;
};

/// What marks cells that other pieces have, too, or that are hidden (VTK's ghost cells).
inline constexpr std::string_view ghost_array = "vtkGhostType";

/// True for names of arrays that number the parts of a body, whatever their case, of the three material
/// constants, and for ghost_array.
[[nodiscard]] bool is_kept_cell_array(std::string_view name);

class VtkRegions {
 public:
  /// Takes the name of an array of field data: "region 2: wing" names a region of a file that quartic wrote.
  void add_field_data(std::string_view name);

  /// Chooses among a piece's arrays, which must outlive the use of its cells. Arrays of another length than
  /// `cell_count` are left alone.
  void begin_piece(const std::vector<VtkArray>& arrays, std::size_t cell_count, MeshBuilder& builder);
  /// The region of an element, or -1; keeps its material in mind.
  [[nodiscard]] std::int32_t region_of(std::size_t cell, MeshBuilder& builder);
  /// The number of a cell, or 0 if the piece has none.
  [[nodiscard]] std::int64_t number_of(std::size_t cell) const;

  /// Gives their materials to the regions that have one throughout.
  void finish(MeshBuilder& builder) const;

 private:
  struct RegionMaterial {
    Material material;
    bool differs = false;
    bool missing = false;
  };

  void add_material(std::int32_t region, std::size_t cell);

  std::map<std::int64_t, std::string> names_;
  std::unordered_map<std::int64_t, std::int32_t> regions_;  // by number
  std::map<std::int32_t, RegionMaterial> materials_;        // by region
  const VtkArray* numbers_ = nullptr;
  const VtkArray* constants_[3] = {};  // Young's modulus, Poisson's ratio, density; all or none
  bool unused_materials_ = false;
  bool has_named_ = false;  // the regions that field data name are there
};

}  // namespace quartic::io
