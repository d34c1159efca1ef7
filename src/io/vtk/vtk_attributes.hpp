// What VTK's legacy files keep for points, cells and the whole file.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/text/words.hpp"
#include "io/vtk/vtk_arrays.hpp"
#include "io/vtk/vtk_data.hpp"

namespace quartic::io {

/// Keeps the arrays that a mesh has a use for, and goes past all others.
class VtkAttributes {
 public:
  /// All must outlive this object. Points and cells are read before their data.
  VtkAttributes(Words& words, VtkArrays& arrays, VtkMesh& mesh, VtkGrid& grid)
      : words_(words), arrays_(arrays), mesh_(mesh), grid_(grid) {}

  /// Reads the section of a keyword that has been taken. False if it is none for points, cells or the file.
  bool read_section(std::string_view keyword);

 private:
  enum class Of { file, points, cells };  // what arrays belong to

  void read_data(Of owner);
  bool read_colours(std::string_view keyword);
  bool read_attribute(std::string_view keyword);
  void read_fields();
  void read_array(const VtkArrayHead& head);
  void skip_metadata();
  std::int64_t number(std::string_view text, std::string_view what) const;

  Words& words_;
  VtkArrays& arrays_;
  VtkMesh& mesh_;
  VtkGrid& grid_;
  Of owner_ = Of::file;
  std::int64_t tuples_ = 0;  // of each array of the owner
};

}  // namespace quartic::io
