// VTK's XML unstructured grids, as all that writes them shares it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::io {

/// Numbers that belong to the file as a whole.
struct FieldData {
  std::string name;
  std::vector<double> values;
};

/// write_vtu of mesh.hpp, with field data of its own. @throws InputError, FileError
void write_vtu_file(const VolumeMesh& mesh, const std::filesystem::path& path, std::span<const NamedField> fields,
                    std::span<const FieldData> field_data);

}  // namespace quartic::io
