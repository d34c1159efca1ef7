// What holds a body and what is attached to it: supports in directions, joints, point masses, springs.
//
// Supports and joints are linear equations between displacements. They are solved for as many displacements as there
// are equations, which leaves u = T x with free coordinates x: every stage works on T^T K T and T^T M T, and T is a
// selection where whole vertices are held. Displacements are infinitesimal in these equations: what is held along a
// direction moves in the plane across it, however far.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/storage.hpp"

namespace quartic {

struct VolumeMesh;

/// a . u of one vertex.
struct DisplacementTerm {
  std::int32_t vertex = 0;             ///< 0-based
  std::array<double, 3> factors = {};  ///< a, of the displacement's x, y and z
};

/// A linear equation between displacements: the sum of its terms is 0. Of several vertices, the first one follows the
/// others where it can.
struct Constraint {
  std::vector<DisplacementTerm> terms;
  std::string origin = {};  ///< what asked for it, for messages; files don't store it
};

/// What holds a body.
struct Supports {
  Supports() = default;
  /// Vertices that are held in all directions: any list or span of them.
  // NOLINTBEGIN(google-explicit-constructor): a list of vertices is a support
  template <class Vertices>
  requires std::convertible_to<const Vertices&, std::span<const std::int32_t>> Supports(const Vertices& fixed) {
    const std::span<const std::int32_t> list = fixed;
    fixed_vertices.assign(list.begin(), list.end());
  }
  // NOLINTEND(google-explicit-constructor)
  Supports(std::vector<std::int32_t> fixed, std::vector<Constraint> equations)
      : fixed_vertices(std::move(fixed)), constraints(std::move(equations)) {}

  std::vector<std::int32_t> fixed_vertices;  ///< 0-based, any order: all three displacements of each are zero
  std::vector<Constraint> constraints;

  [[nodiscard]] bool empty() const { return fixed_vertices.empty() && constraints.empty(); }
};

/// A mass at a vertex, which moves with it.
struct PointMass {
  std::int32_t vertex = 0;
  double mass = 0;  ///< [kg] >= 0
};

/// A linear spring with the energy stiffness / 2 s^2, s [m] being the sum of its terms: u_x for a spring to the ground
/// along x, the difference of two displacements for one between vertices. Its direction stays what it is at rest.
struct Spring {
  std::vector<DisplacementTerm> terms;
  double stiffness = 0;  ///< [N/m] >= 0
};

/// Holds vertices along a direction of any length: one constraint each.
/// @throws InputError for a direction that is zero or isn't finite
[[nodiscard]] QUARTIC_EXPORT std::vector<Constraint> hold_along(std::span<const std::int32_t> vertices,
                                                                const std::array<double, 3>& direction,
                                                                const std::string& origin = "a support");

/// Holds vertices along the normals of the boundary faces that they make up: a support that slides. Where these faces
/// turn by no more than 30 degrees about a vertex, along their mean by area, vertex by vertex; where they turn by more,
/// as at the edges of a box, along the normal of each side. Faces of quadratic elements have their normal at the
/// vertex.
/// @param vertices all vertices of these faces, the middles of their edges included
/// @throws InputError if a vertex isn't on such a face, or out of range. Cost O(elements)
[[nodiscard]] QUARTIC_EXPORT std::vector<Constraint> hold_normals(const VolumeMesh& mesh,
                                                                  std::span<const std::int32_t> vertices,
                                                                  const std::string& origin = "a support");

/// Holds the mean displacement of vertices, each counted once, along a direction: one constraint, whose one vertex
/// gives way to all others. It couples all of them, so that K gets a dense row for each.
/// @throws InputError for no vertices, or a direction as in `hold_along`
[[nodiscard]] QUARTIC_EXPORT Constraint hold_mean(std::span<const std::int32_t> vertices,
                                                  const std::array<double, 3>& direction,
                                                  const std::string& origin = "a support");

/// Makes vertices move as one infinitesimally rigid body (a rigid link): 3 m - 6 constraints for m vertices that aren't
/// on one line. Those that lead are chosen so that no other lies far outside of them.
/// @throws InputError for vertices out of range, or fewer than two
[[nodiscard]] QUARTIC_EXPORT std::vector<Constraint> link_rigidly(const VolumeMesh& mesh,
                                                                  std::span<const std::int32_t> vertices,
                                                                  const std::string& origin = "a rigid link");

/// Ties vertices to a surface of the mesh: each follows the nearest point of the elements that have a face whose
/// vertices are all among `surface`, by their shape functions. Vertices that are on the surface themselves are left
/// out.
/// @param largest_gap [m]: the farthest that a vertex may be from the surface
/// @throws InputError that names the vertex and its distance if one is farther, or if it would follow itself; if
///         `surface` has no face, or for a vertex out of range
[[nodiscard]] QUARTIC_EXPORT std::vector<Constraint> tie_vertices(const VolumeMesh& mesh,
                                                                  std::span<const std::int32_t> vertices,
                                                                  std::span<const std::int32_t> surface,
                                                                  double largest_gap,
                                                                  const std::string& origin = "a tie");

/// A mass on a set of vertices [kg], each counted once, spread by area where they make up boundary faces, else evenly.
/// @throws InputError for a mass below 0 or not finite, or no vertices
[[nodiscard]] QUARTIC_EXPORT std::vector<PointMass> spread_mass(const VolumeMesh& mesh,
                                                                std::span<const std::int32_t> vertices, double mass);

/// Springs from a set of vertices to the ground, in all directions: together `stiffness` [N/m] along each, spread as
/// `spread_mass` does.
/// @throws InputError as `spread_mass`
[[nodiscard]] QUARTIC_EXPORT std::vector<Spring> springs_to_ground(const VolumeMesh& mesh,
                                                                   std::span<const std::int32_t> vertices,
                                                                   double stiffness);

/// T of a body with its joints: displacements from free coordinates, shape (3n, free), 1 in the row of each free
/// displacement.
/// @throws InputError for vertices or numbers out of range, a vertex that is held in directions that almost coincide,
///         or if nothing is free
[[nodiscard]] QUARTIC_EXPORT SparseMatrix freedom_map(const VolumeMesh& mesh, const Supports& supports);

}  // namespace quartic
