// Formats of triangle meshes, for the list of read_triangle_mesh.cpp.
#pragma once

#include "io/surface/surface_format.hpp"

namespace quartic::io {

extern const SurfaceFormat ply_format, stl_format, gltf_format, obj_format;

}  // namespace quartic::io
