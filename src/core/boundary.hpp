// The faces of a mesh that belong to one element only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// Boundary faces in the order of elements and of their faces, wound outwards.
/// @return corner vertices of each face; the fourth is -1 for triangles
[[nodiscard]] std::vector<std::array<std::int32_t, 4>> boundary_faces(const VolumeMesh& mesh);

}  // namespace quartic
