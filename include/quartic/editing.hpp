// Changing a reduced model without its mesh: other materials, fewer or other basis vectors, also while bodies move
// (2005 paper, section 6.5).
//
// The energy is linear in the Lame constants of each region, the mass matrix in its density. A model whose parts per
// region are kept (`ReduceOptions::region_parts`) gets other materials at a cost that doesn't depend on the mesh. The
// space of displacements stays what it was: it suits the new materials less and less the more their ratios change.
#pragma once

#include <span>

#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/export.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// What other materials make of a model's run-time data. Other densities need other coordinates q', in which the
/// reduced mass is the unit matrix again: q = T q', the basis being U T.
struct MaterialEdit {
  QuarticEnergy energy;      ///< of q'
  Matrix transform;          ///< T, upper triangular, shape (r, r); exactly the unit matrix if no density changes
  Matrix unit_acceleration;  ///< of q', with the new masses, shape (r, 3): column per axis
};

/// The model's run-time data for other materials. Elastic constants alone cost O(regions C(r+4, 4)), other densities
/// O(r^5) besides: M' = sum of rho_g times the region's mass = L L^T, T = L^-T.
/// A free body's basis is orthogonal to rigid motions in the old M: after densities have changed by different factors,
/// gravity, which did nothing to it, has some effect. Reduce such a body anew where that matters.
/// @param materials one per region
/// A file that lacks `region_unit_acceleration` makes density edits cost O(regions n r^2) as well.
/// @throws InputError if the model has no parts per region, the number of materials is wrong, or one is bad
///         (check_material); NumericalError if the new reduced mass isn't positive definite
[[nodiscard]] QUARTIC_EXPORT MaterialEdit edit_materials(const ReducedModel& model,
                                                         std::span<const Material> materials);

/// The whole model for other materials, to be saved, drawn, or edited again: basis U T, parts per region in the new
/// coordinates. Its linear modes and eigenvalues were those of the old materials: it has none, unless nothing changed.
/// Cost O(n r^2 + regions r^5).
/// @throws InputError as edit_materials
[[nodiscard]] QUARTIC_EXPORT ReducedModel with_materials(const ReducedModel& model,
                                                         std::span<const Material> materials);

/// Gives a running batch an edit: its energy, and its state in the new coordinates, so that every body stays where it
/// is with the velocity it has: q' = T^-1 q, also for velocity and acceleration, force' = T^T force. External forces on
/// vertices stay what they are by that; gravity on other densities is to be set anew from `unit_acceleration`.
/// @param previous the edit of the same model that the batch has now; null: it has the model's own energy. After an
/// edit
///        of densities, forgetting it moves every body
/// @param group    whose bodies are meant
/// @throws InputError for another rank, a singular transform or a group that isn't there; nothing is changed then
template <class T>
QUARTIC_EXPORT void apply_edit(Batch<T>& batch, const MaterialEdit& edit, const MaterialEdit* previous = nullptr,
                               int group = 0);

/// x' = T^-1 x for the coordinates, velocities or accelerations of all bodies, where q = T q'. Cost O(r^3 + B r^2).
/// @param transform T, invertible, shape (r, r)
/// @throws InputError for another shape or a singular T; nothing is changed then
template <class T>
QUARTIC_EXPORT void transform_state(MatrixRef transform, StateView<T> state);

/// f' = T^T f for the reduced forces of all bodies, where q = T q'. @throws InputError as transform_state
template <class T>
QUARTIC_EXPORT void transform_force(MatrixRef transform, StateView<T> force);

/// The energy in other coordinates: V'(q') = V(T q'). One index after the other is contracted, each sum once for all
/// permutations of the others: O(r^5), some 40 million flops at r = 30, and the memory of r^4 / 3 numbers.
/// @param transform T, shape (r, s): s columns make an energy of rank s
/// @throws InputError for a wrong shape or an entry that isn't finite
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy transform_energy(const QuarticEnergy& energy, MatrixRef transform);

/// The energy of some of the coordinates, the others being zero: terms are dropped, nothing is computed.
/// @param kept 0-based, in any order, each once, at least one: coordinate i of the result is kept[i]
/// @throws InputError for indices that don't fit
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy keep_coordinates(const QuarticEnergy& energy, std::span<const int> kept);

/// The model with some of its basis vectors: basis, energy, parts per region and unit accelerations, all by dropping.
/// @throws InputError as keep_coordinates, or if the model has no basis
[[nodiscard]] QUARTIC_EXPORT ReducedModel keep_basis_vectors(const ReducedModel& model, std::span<const int> kept);

}  // namespace quartic
