// Changing a reduced model without its mesh: other materials, fewer or other basis vectors, also while bodies move
// (2005 paper, section 6.5).
//
// The energy is linear in the Lame constants of each region, the mass matrix in its density. A model whose parts per
// region are kept (`ReduceOptions::region_parts`) can get other materials at a cost that doesn't depend on the mesh.
// The space of displacements doesn't change: it suits the new materials less the more their ratios change.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/energy.hpp"
#include "quartic/export.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// A model's run-time data for other materials. Other densities need other coordinates q', in which the reduced mass is
/// the unit matrix again: q = T q', with the basis U T.
///
/// A free body's fields also lose a constant vector each, u = (U - 1 t^T) T q' about the new mass centre, so that the
/// origin of its frame is the mass centre again, and gravity has no effect on q'. That strains nothing.
struct MaterialEdit {
  QuarticEnergy energy;      ///< of q', relaxed where `relaxation` is there
  Matrix transform;          ///< T, upper triangular, shape (r, r); exactly the unit matrix if no density changes
  Matrix unit_acceleration;  ///< of q', with the new masses, shape (r, 3): column per axis; zero for a free body
  std::array<double, 3> shift = {0, 0, 0};  ///< of the mass centre at rest, from the model's [m]
  Matrix translation = {};                  ///< t [1/sqrt(kg)], shape (r, 3); zero unless the body is free
  /// Of q', about the new mass centre. Always there for a free body whose densities change, else if the model has them.
  std::optional<FrameMoments> moments = {};
  std::optional<Relaxation> relaxation = {};  ///< of q'
  std::vector<EnclosedVolume> chambers = {};  ///< of q', of each of the model's chambers
  std::vector<std::string> notices = {};      ///< what couldn't be carried over, a sentence each
};

/// The model's run-time data for other materials. Elastic constants alone cost O(regions C(r+4, 4)), other densities
/// O(r^5) more: M' = sum of rho_g times the region's mass = L L^T, T = L^-T.
/// For a free body of one component the translation is removed first, M' being the mass of U - 1 t^T. The basis of
/// several free components is orthogonal to their translations in the old M only: there, gravity has some effect once
/// densities have changed by different factors. For a model without `region_unit_acceleration`, or a free one without
/// `region_moments`, density edits cost O(regions n r^2) as well.
/// A relaxed model stays relaxed by the same fields and share: exactly where it has its parts per region, or where all
/// elastic constants change by one factor. Else the energy is the unrelaxed one, and a notice says so.
/// @param materials one per region
/// @throws InputError if the model has no parts per region, the number of materials is wrong, or one is bad
///         (check_material); NumericalError if the new reduced mass isn't positive definite
[[nodiscard]] QUARTIC_EXPORT MaterialEdit edit_materials(const ReducedModel& model,
                                                         std::span<const Material> materials);

/// The whole model for other materials, to be saved, drawn, or edited again: basis (U - 1 t^T) T, moments and parts per
/// region in the new coordinates. The mesh stays where it is. It has no linear modes and eigenvalues, which were those
/// of the old materials, unless nothing changed. Cost O(n r^2 + regions r^5).
/// @throws InputError as edit_materials
[[nodiscard]] QUARTIC_EXPORT ReducedModel with_materials(const ReducedModel& model,
                                                         std::span<const Material> materials);

/// Applies an edit to a running batch: its energy, the volumes of its chambers, and the state and the range in the new
/// coordinates, so that every body keeps its place and its velocity: q' = T^-1 q, also for velocity and acceleration,
/// force' = T^T force. External forces on vertices are preserved; gravity on other densities has to be set again from
/// `unit_acceleration`, or as a wrench. A group with a frame takes the moments, too, and its pose, twist, twist rate
/// and wrench go over to the new mass centre: position' = position + R (shift + t^T q), and so on. Without a frame a
/// free body's points stay but for the translation t^T q + shift of the whole, which such a batch doesn't know. Heat
/// isn't carried over: heat the edit's energy anew (`heated_energy`, with the edit's materials and basis).
/// @param previous the edit of the same model that is in effect now; null: the batch has the model's own energy.
///        Leaving it out after an edit of densities moves every body
/// @param group    the group to edit
/// @throws InputError for another rank, a singular transform or a group that doesn't exist; nothing is changed then
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

/// The energy in other coordinates: V'(q') = V(T q'). Indices are contracted one by one, each sum once for all
/// permutations of the others: O(r^5), some 40 million flops at r = 30, and the memory of r^4 / 3 numbers.
/// @param transform T, shape (r, s): s columns make an energy of rank s
/// @throws InputError for a wrong shape or an entry that isn't finite
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy transform_energy(const QuarticEnergy& energy, MatrixRef transform);

/// The energy of some of the coordinates, the others being zero: terms are dropped, nothing is computed.
/// @param kept 0-based, in any order, each once, at least one: coordinate i of the result is kept[i]
/// @throws InputError for indices that don't fit
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy keep_coordinates(const QuarticEnergy& energy, std::span<const int> kept);

/// The model with some of its basis vectors: basis, energy, relaxation, moments, chambers, parts per region and unit
/// accelerations are cut down to them. The vectors left out don't follow in the relaxed strains of the others.
/// @throws InputError as keep_coordinates, or if the model has no basis
[[nodiscard]] QUARTIC_EXPORT ReducedModel keep_basis_vectors(const ReducedModel& model, std::span<const int> kept);

}  // namespace quartic
