// Bodies whose numbers double precision can't carry through a reduction.
#pragma once

#include "core/elements/quadrature.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// Checks that what is computed of a body of size L (the longest edge of its box), stiffness E and density rho stays
/// far from the ends of the range of double, squared, too: entries of K (E L) and M (rho L^3), eigenvalues (E / rho
/// L^2), modes and their derivatives (rho L^5), coefficients of the energy (E / rho^2 L^7). Positions must be finite.
/// @throws InputError that names the numbers
void require_number_range(const VolumeMesh& mesh, const ElementMaterials& materials);

}  // namespace quartic
