// VTK's unstructured grids, for the lists of read_mesh.cpp and write_mesh.cpp.
#pragma once

#include "io/mesh/mesh_writer.hpp"
#include "io/text/mesh_format.hpp"

namespace quartic::io {

extern const MeshFormat vtk_format, vtu_format;  ///< legacy, XML
extern const MeshWriter vtu_writer;

}  // namespace quartic::io
