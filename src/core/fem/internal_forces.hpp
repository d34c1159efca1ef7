// Internal forces of a mesh that has been checked.
#pragma once

#include "core/fem/prepared_mesh.hpp"
#include "quartic/fem.hpp"
#include "quartic/thermal.hpp"

namespace quartic {

/// As InternalForces' constructor. The CPU's. @param heating empty: none
[[nodiscard]] InternalForces make_internal_forces(const PreparedMesh& mesh, const Heating& heating = {});

}  // namespace quartic
