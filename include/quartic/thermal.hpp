// Thermal strain: what a change of temperature does to a body.
//
// A body of expansion alpha that is warmer by T is free of stress at the strain E_th = alpha T I, where lengths are
// sqrt(1 + 2 alpha T) times what they were. Its energy density is StVK's of E - E_th,
//     lambda/2 tr(E)^2 + mu E:E - c tr E + 3/2 c alpha T,   c = (3 lambda + 2 mu) alpha T,
// and tr E is quadratic in u: the energy stays one quartic. Heat adds to the internal force
//     R_a += -integral of c grad phi_a - sum_b (integral of c grad phi_a . grad phi_b) u_b,
// which is linear in u, by the quadrature of the elastic energy. Heat is a load: files and modes know nothing of it.
#pragma once

#include <span>
#include <vector>

#include "quartic/energy.hpp"
#include "quartic/export.hpp"
#include "quartic/heating.hpp"
#include "quartic/matrix.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

// Every function here, and whoever takes a Heating, throws InputError as the functions of fem.hpp, and for numbers of
// the wrong count or not finite, or strains alpha T of -1/2 or below, which no body survives. Cost O(elements).

/// The energy of a heated reduced body, exactly that of the heated mesh at u = U q: linear and quadratic coefficients
/// change, and the constant, so that it is zero where a body expands freely. For `BodyGroup::energy`,
/// `Batch::set_energy` and `reduced_equilibrium`; there is no strain form of it. Expansions are seldom in a basis of
/// modes: `reduce_with_basis` takes fields that have them, such as equilibria of StaticSolver. An edit of materials
/// knows no heat: after `apply_edit`, heat the edit's energy anew, `set_energy(heated_energy(edit.energy, ...))`.
/// @param energy of the same mesh and basis, unrelaxed
/// @param basis U, shape (3n, r)
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy heated_energy(const QuarticEnergy& energy, const VolumeMesh& mesh,
                                                         MatrixRef basis, const Heating& heating);

/// What heat adds to the internal force [N] at displacement u, shape (3n).
[[nodiscard]] QUARTIC_EXPORT std::vector<double> thermal_force(const VolumeMesh& mesh, std::span<const double> u,
                                                               const Heating& heating);

/// What heat adds to the energy [J] at displacement u.
[[nodiscard]] QUARTIC_EXPORT double thermal_energy(const VolumeMesh& mesh, std::span<const double> u,
                                                   const Heating& heating);

}  // namespace quartic
