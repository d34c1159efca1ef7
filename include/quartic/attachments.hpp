// What is linked to sets of a body's vertices: rigid bodies, springs between sets, masses per area.
//
// Each takes part in the body's motion by joints, point masses and springs of its mesh (quartic/supports.hpp), so that
// every stage knows it and the energy stays a quartic. Rotations are infinitesimal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// How something moves with vertices that it is linked to.
enum class Link : std::uint8_t {
  rigid,  ///< they become one infinitesimally rigid body with it
  mean    ///< it takes part in their mean motion and leaves them their deformation, as an RBE3 element does
};

/// A rigid body by what it weighs.
struct RigidMass {
  double mass = 0;                    ///< [kg] >= 0
  std::array<double, 3> centre = {};  ///< its mass centre [m]
  /// Its tensor of inertia about the mass centre, along global axes [kg m^2]: xx, yy, zz, xy, xz, yz, those with two
  /// letters being minus the integrals of density x y and so on.
  std::array<double, 6> inertia = {};
};

/// Attaches a rigid body to vertices: it becomes one vertex of no element, or four if it has moments of inertia, whose
/// masses have its mass, centre and moments exactly, and which follow the vertices' motion. The mean motion is the
/// rigid one nearest to theirs by least squares; each counts by area where they make up boundary faces. It couples all
/// of them, so that the free mass matrix gets a dense block.
/// @throws InputError for vertices out of range or none; if they are on a line or at one place, and don't say how the
///         body turns; or for moments that no body of this mass has: without a mass, or with one that is more than the
///         sum of both others
QUARTIC_EXPORT void attach_rigid_mass(VolumeMesh& mesh, std::span<const std::int32_t> vertices, const RigidMass& body,
                                      Link link, const std::string& origin = "a rigid body");

/// The mean rotation of vertices about an axis of any length [rad], as a sum over their displacements: the terms of a
/// torsional `Spring`, whose stiffness then is in N m. Vertices count as in `attach_rigid_mass`.
/// @throws InputError for vertices out of range, none, or on a line along the axis; for an axis that is zero or isn't
///         finite
[[nodiscard]] QUARTIC_EXPORT std::vector<DisplacementTerm> mean_rotation(const VolumeMesh& mesh,
                                                                         std::span<const std::int32_t> vertices,
                                                                         const std::array<double, 3>& axis,
                                                                         const std::string& origin = "a rotation");

/// A mass per area [kg/m^2] on the boundary faces that a set of vertices makes up, as of a coat or a lining.
/// @throws InputError for a mass below 0 or not finite, or vertices that make up no face
[[nodiscard]] QUARTIC_EXPORT std::vector<PointMass> spread_mass_per_area(const VolumeMesh& mesh,
                                                                         std::span<const std::int32_t> vertices,
                                                                         double mass_per_area);

/// Springs between two sets of vertices, in all directions: `stiffness` [N/m] along each, between the sets' mean
/// displacements, in which vertices count by area where they make up faces. They carry forces, no moments.
/// @throws InputError as `spread_mass`, or if both sets are the same
[[nodiscard]] QUARTIC_EXPORT std::vector<Spring> springs_between(const VolumeMesh& mesh,
                                                                 std::span<const std::int32_t> a,
                                                                 std::span<const std::int32_t> b, double stiffness);

}  // namespace quartic
