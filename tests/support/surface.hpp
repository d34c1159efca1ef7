// The boundary surface of a mesh, for tests.
#pragma once

#include "quartic/mesh.hpp"

namespace quartic::test {

/// Volume inside the boundary triangles by the divergence theorem [m^3]. Expects a closed surface: every edge once in
/// each direction.
[[nodiscard]] double enclosed_volume(const VolumeMesh& mesh);

}  // namespace quartic::test
