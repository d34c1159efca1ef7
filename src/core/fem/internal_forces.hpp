// Internal forces of a mesh that has been checked.
#pragma once

#include "core/fem/prepared_mesh.hpp"
#include "quartic/fem.hpp"

namespace quartic {

/// As InternalForces' constructor. The CPU's.
[[nodiscard]] InternalForces make_internal_forces(const PreparedMesh& mesh);

}  // namespace quartic
