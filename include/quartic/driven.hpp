// Sets of vertices that are moved: a prescribed displacement over time.
//
// A set moves by s(t) along a direction, every vertex alike, and so do the vertices of joints that follow it. With the
// fields P of unit displacements of the sets, at rest in what else is free,
//     u = T x + P s
// where T is that of supports which hold the sets, too. In a reduced model each set is one more coordinate z_p, whose
// field is the body's static answer to it, the lifting field L = P - T (T^T K T)^-1 T^T K P, made mass-orthonormal to
// the basis. Then the energy of all coordinates is one quartic, the mass matrix the identity, and what a set's motion
// does to the rest is in the energy alone: inertia couples nothing.
//
// A set in motion is one that supports hold along its direction: modes and bases are of the body with the set at rest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/model.hpp"

namespace quartic {

/// Vertices that are moved along a direction.
struct DrivenSet {
  std::vector<std::int32_t> vertices = {};  ///< 0-based, each once or more
  std::array<double, 3> direction = {};     ///< of any length; displacements are along its unit vector
  std::string name = "the moved set";       ///< for messages
};

/// P, zero at the free displacements of T, shape (3n, sets): for `UnreducedOptions::driven`, and as the start P s of a StaticSolver, which keeps it.
/// @param supports of the body, that hold the sets along their directions
/// @throws InputError for no vertices, one out of range, or one that the supports don't hold along its direction, that
/// another support or joint moves; for directions of one vertex that aren't perpendicular, or a direction without
/// length
[[nodiscard]] QUARTIC_EXPORT Matrix driven_fields(const VolumeMesh& mesh, const Supports& supports,
                                                  std::span<const DrivenSet> sets);

/// L, shape (3n, sets): the equilibria of small displacements of the sets, which are rigid motions where nothing else
/// holds the body. One factorisation of K, which the supports must leave no rigid motion.
/// @throws InputError as `driven_fields`, or for a body that can still move rigidly
[[nodiscard]] QUARTIC_EXPORT Matrix lifting_fields(const VolumeMesh& mesh, const Supports& supports,
                                                   std::span<const DrivenSet> sets);

/// A model whose last coordinates are those of moved sets.
struct DrivenModel {
  /// As the one it was made of, with a further coordinate for each set. It can't be saved, since its supports don't
  /// hold the last fields of its basis; the model that it is made of can.
  ReducedModel model;
  /// z of the lifting fields, U^T M L, shape (r + sets, sets): C s are the coordinates of the body at rest in small
  /// displacements s of the sets, and the last rows of it the driven coordinates at any time.
  Matrix coordinates;

  /// The driven coordinates for displacements s [m], shape (sets): what `Batch::force()` of these takes.
  [[nodiscard]] QUARTIC_EXPORT std::vector<double> driven_coordinates(std::span<const double> s) const;
};

/// Adds moved sets to a model, for BodyGroup::driven: the cost of one factorisation and of the energy of all
/// coordinates. Displacements that deform the body much want a basis that has such shapes: snapshots of equilibria with
/// the set moved, for example.
/// @throws InputError as `lifting_fields`, or for a model without energy, with relaxed strains, or of too high a rank
[[nodiscard]] QUARTIC_EXPORT DrivenModel drive_sets(const ReducedModel& model, std::span<const DrivenSet> sets);

/// The energy with its last coordinates held at these values, exactly: a quartic of the others.
/// @throws InputError for values that aren't finite, or as many as there are coordinates
[[nodiscard]] QUARTIC_EXPORT QuarticEnergy hold_coordinates(const QuarticEnergy& energy,
                                                            std::span<const double> values);
/// The same of a chamber's volume.
[[nodiscard]] QUARTIC_EXPORT EnclosedVolume hold_coordinates(const EnclosedVolume& volume,
                                                             std::span<const double> values);

}  // namespace quartic
