// What a mesh file format is to read_mesh. A new format is one file that defines a `MeshFormat`, its declaration in the
// header of its folder's formats, and its place in the list of read_mesh.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "quartic/mesh.hpp"

namespace quartic::io {

/// A file that is in memory.
struct MeshFile {
  std::filesystem::path path;  ///< as the caller named it: for messages, and to find files beside it
  std::string content;
};

/// One file format.
struct MeshFormat {
  std::string_view name;  ///< for messages: "VegaFEM (.veg)"
  /// True if the content, whatever its name, is of this format.
  bool (*recognises)(std::string_view content);
  /// Reads the whole mesh, `source_files` being the further ones. @throws ParseError with file and line
  VolumeMesh (*read)(const MeshFile& file);
  /// For formats of several files that are named by their stem: the file to open when `stem` itself doesn't exist,
  /// or an empty path. May be null.
  std::filesystem::path (*file_of_stem)(const std::filesystem::path& stem) = nullptr;
};

}  // namespace quartic::io
