// Moments of mass: a body's inertia in any frame and at every deformation, without its mesh.
//
// A point of a body is at y = X + U q in a frame that moves with it. Its kinetic energy, momenta and equations of
// motion take nothing of the mesh but sums of mass over products of 1, X and U, in the mass matrix that U is
// orthonormal in.
#pragma once

#include <array>
#include <cstdint>

#include "quartic/export.hpp"
#include "quartic/storage.hpp"

namespace quartic {

struct ReducedModel;

/// The Gram matrix of [1, X, U] in a body's mass matrix m (one number per pair of vertices a, b; held vertices count):
/// X is the rest position about `origin`, U_i the displacement of basis vector i. Linear in densities.
struct FrameMoments {
  double mass = 0;                           ///< S m_ab [kg]
  std::array<double, 3> origin = {0, 0, 0};  ///< where X is zero, in the mesh's coordinates [m]
  std::array<double, 3> first_moment = {};   ///< S m_ab X_a [kg m]; zero about the mass centre
  Matrix unit_acceleration = {};             ///< S m_ab U_bi, shape (r, 3)
  Matrix moment0 = {};                       ///< S m_ab X_a X_b^T [kg m^2], shape (3, 3)
  Matrix moment1 = {};                       ///< S m_ab X_a U_bi^T, shape (9, r): column i, the 3x3 matrix row by row
  Matrix moment2 = {};  ///< S m_ab U_ai U_bj^T for i <= j, shape (9, r(r+1)/2): pairs (0,0), (0,1), ...

  [[nodiscard]] int rank() const { return static_cast<int>(moment1.cols); }
};

/// Another frame and other fields for the same body: about origin + shift, of the fields U' = (U - 1 t^T) T.
struct FrameChange {
  std::array<double, 3> shift = {0, 0, 0};  ///< of the origin [m]
  Matrix translation = {};                  ///< t: the constant vector that each field loses, shape (r, 3)
  Matrix transform = {};                    ///< T, shape (r, s)
};

/// A model's moments about its mass centre at rest: those that it holds, or else from its mesh, at the cost of a mass
/// matrix and O(n r^2). A model without a basis has those of rank 0.
/// @throws InputError for a mesh that can't be used
[[nodiscard]] QUARTIC_EXPORT FrameMoments frame_moments(const ReducedModel& model);

/// The moments for another frame and other fields, a congruence of the Gram matrix: O(r^3).
/// @throws InputError if shapes don't fit
[[nodiscard]] QUARTIC_EXPORT FrameMoments change_frame(const FrameMoments& moments, const FrameChange& change);

/// The change after which the origin is the mass centre whatever q is, and the reduced mass S m_ab U_ai . U_bj the unit
/// matrix: shift = first moment / mass, t = unit accelerations / mass, T = L^-T of the reduced mass L L^T after that. A
/// constant vector strains nothing, so that the energy only takes T.
/// @throws NumericalError if that mass isn't positive definite: a field is a translation
[[nodiscard]] QUARTIC_EXPORT FrameChange centring(const FrameMoments& moments);

/// The moments of a free body for BodyGroup::frame: of one component that nothing holds, whose fields have neither
/// translation nor rotation in them.
/// @throws InputError that says why a body has no frame of its own
[[nodiscard]] QUARTIC_EXPORT FrameMoments free_frame(const ReducedModel& model);

/// The moments with the coupling of rotation and deformation left out, moment1 and moment2 being zero, for
/// BodyGroup::frame of free bodies: their inertia is that of the body at rest, and without Coriolis', Euler's and
/// centrifugal forces q moves as in a frame at rest. A cheap assumption of other programs, but no cheaper here: to see
/// what it costs in accuracy (docs/evaluation.md), or for bodies so stiff that it costs none. `apply_edit` keeps it.
[[nodiscard]] QUARTIC_EXPORT FrameMoments rest_moments(const FrameMoments& moments);

/// The moments of a body on a base that moves, for BodyGroup::frame with FrameMotion::prescribed: about a point of the
/// base, of the fields as they are. What the model's fixed vertices hold moves with the base.
/// @param origin of the base, in the mesh's coordinates [m]: where Batch::pose is
/// @throws InputError for a mesh that can't be used
[[nodiscard]] QUARTIC_EXPORT FrameMoments base_frame(const ReducedModel& model,
                                                     const std::array<double, 3>& origin = {0, 0, 0});

/// Principal moments of inertia of the body at rest about its mass centre [kg m^2], ascending.
/// @throws NumericalError if an entry isn't finite
[[nodiscard]] QUARTIC_EXPORT std::array<double, 3> principal_inertia(const FrameMoments& moments);

/// |S m X x U_i| over |S m X U_i^T|, Frobenius norms over all i: 0 for a free body whose fields have no angular
/// momentum about the origin, so that its frame is the one of mean axes.
[[nodiscard]] QUARTIC_EXPORT double mean_axis_error(const FrameMoments& moments);

}  // namespace quartic
