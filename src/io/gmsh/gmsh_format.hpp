// Gmsh's meshes, for the lists of read_mesh.cpp and write_mesh.cpp.
#pragma once

#include "io/mesh/mesh_writer.hpp"
#include "io/text/mesh_format.hpp"

namespace quartic::io {

extern const MeshFormat gmsh_format;
extern const MeshWriter gmsh_writer;

}  // namespace quartic::io
