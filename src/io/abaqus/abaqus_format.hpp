// Input decks of Abaqus and CalculiX, for the list of read_mesh.cpp.
#pragma once

#include "io/text/mesh_format.hpp"

namespace quartic::io {

extern const MeshFormat abaqus_format;

}  // namespace quartic::io
