// Damping by strain rates: a viscous stress beside the elastic one, local like Rayleigh's beta K(q), but without the
// geometric part of the stiffness, so that a body that turns as a whole isn't held back (2005 paper, section 8).
//
// With the Green strain E, quadratic in q, and the viscous stress tau C : E', the force on coordinates is D(q) q' with
//   D(q) = tau integral of dE/dq : C : dE/dq,
// quadratic in q, symmetric and without negative eigenvalues; at rest it is tau K(0). Products of strains by pairs
// aren't in the energy's symmetric tensor: they come from a strain form (reduce_strains).
#pragma once

#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/quartic_energy.hpp"
#include "quartic/storage.hpp"

namespace quartic {

/// Damps the bodies of a batch by strain rates from the next step on, beside Rayleigh's damping and BodyGroup::damping,
/// times each body's stiffness scale. Implicit steps take D where they take K, energy-conserving ones at the middle of
/// the step, by which the energy falls by exactly tau h |rate of the mean strain|^2; that of central differences is
/// explicit. Each evaluation costs (r + 1)^2 (r + 2) r / 4 multiply-adds per body. This call costs p^3 / 6 for each new
/// form, p = strain_count(r), and p^2 doubles. Checkpoints keep the times, and want a batch with the same forms. On
/// both backends; on a device D is summed as by Evaluation::strict.
/// @param time tau [s], shape (B), finite and >= 0; 0 for none
/// @param forms one per group, of its bodies' rank, whose strains damp: `reduce_strains` of the model's mesh and basis,
///        or of that mesh with other materials, which then stand for viscosities. Rank 0 for the one that the group has
///        from an earlier call, or that its forces come from now; no forms at all: that for every group. A form stays
///        when the energy changes, until it is given anew
/// @throws InputError for a wrong size or value, a time above 0 where there is no form, a form that T can't hold, or
/// too little memory on the device; nothing is changed then
template <class T>
QUARTIC_EXPORT void set_strain_damping(Batch<T>& batch, std::span<const double> time,
                                       std::span<const StrainForm> forms = {});

/// tau [s] of each body, shape (B).
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<double> strain_damping(const Batch<T>& batch);

/// D(q) / tau, shape (r, r), in double: the reference that the steps' own evaluation is compared with. The power that
/// is lost at the velocity v is tau v . D v.
/// @throws InputError if q doesn't have r entries or the factor's size is wrong
[[nodiscard]] QUARTIC_EXPORT Matrix strain_damping_matrix(const StrainForm& form, std::span<const double> q);

}  // namespace quartic
