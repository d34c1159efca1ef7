// Readers of triangle meshes behind read_triangle_mesh: what MeshFormat is for volume meshes.
#pragma once

#include <string_view>

#include "io/text/mesh_format.hpp"
#include "quartic/surface.hpp"

namespace quartic::io {

struct SurfaceFormat {
  std::string_view name;
  /// True if the content is of this format. The name counts only where content can't tell.
  bool (*recognises)(const MeshFile& file);
  /// @throws ParseError with file and line, or byte
  TriangleMesh (*read)(const MeshFile& file);
};

/// The format of the file, or null.
[[nodiscard]] const SurfaceFormat* find_surface_format(const MeshFile& file);

}  // namespace quartic::io
