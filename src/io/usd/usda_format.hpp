// USD's text format, for the list of read_mesh.cpp.
#pragma once

#include "io/text/mesh_format.hpp"

namespace quartic::io {

extern const MeshFormat usda_format;

}  // namespace quartic::io
