// Formats of one file each, for the list of read_mesh.cpp.
#pragma once

#include "io/text/mesh_format.hpp"

namespace quartic::io {

extern const MeshFormat medit_format, mfem_format, tet_file_format, tetgen_format;

}  // namespace quartic::io
