// What a mesh file format is to write_mesh. A new one is one file that defines a `MeshWriter`, its declaration in the
// header of its folder's formats, and its place in the list of write_mesh.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::io {

struct MeshWriter {
  std::string_view extension;  ///< ".msh"
  /// @throws InputError, FileError
  void (*write)(const VolumeMesh& mesh, const std::filesystem::path& path, const MeshFileOptions& options);
  /// What the format can't hold of a mesh that `write` accepted, a sentence each.
  std::vector<std::string> (*losses)(const VolumeMesh& mesh);
};

}  // namespace quartic::io
