// Velocities, gravity and base forces of bodies with poses (BodyGroup::frame), on the host.
#pragma once

#include <array>

#include "quartic/batch.hpp"
#include "quartic/export.hpp"
#include "quartic/state.hpp"

namespace quartic {

/// Batch::twist with the angular velocity in world axes, as most simulators have it: velocity of the mass centre (or of
/// the base's origin) [m/s], then R w [rad/s]. Columns of bodies without a frame aren't written.
/// @param twist shape (6, B)
/// @throws InputError for another shape, or if no group has a frame
template <class T>
QUARTIC_EXPORT void world_twist(const Batch<T>& batch, StateView<T> twist);

/// Sets Batch::twist from such columns, at the present poses. Those of bodies without a frame aren't read.
/// @throws InputError as above; nothing is changed then
template <class T>
QUARTIC_EXPORT void set_world_twist(Batch<T>& batch, StateView<const T> twist);

/// Uniform gravity for all bodies with a frame, on top of what is there: free ones get mass times g in the first rows
/// of their wrench, where it stays until somebody changes it, so call this once. Where the motion is prescribed, g is
/// taken off the first rows of the twist rate, so call this after each time that the caller has set the acceleration
/// of the base there. Load curves scale the first and not the second. Bodies without a frame get theirs by
/// `ReducedModel::unit_acceleration`.
/// @param acceleration g [m/s^2], in world axes
/// @throws InputError for numbers that aren't finite, or if no group has a frame; nothing is changed then
template <class T>
QUARTIC_EXPORT void add_gravity(Batch<T>& batch, const std::array<double, 3>& acceleration);

/// Force [N] and torque about the base's origin [N m] with which the base holds and moves each body of prescribed
/// motion, in world axes: what a sensor between the two shows. The base feels the opposite. It is the rate of the
/// body's momenta, from q, its velocity and acceleration, pose, twist and twist rate as they are (after a step: of its
/// end), less gravity and the body's wrench, scaled by its load curve at `time()`. With mc = S m (X + U q),
/// s = S m U and a = R^T times the first rows of the twist rate, in the base's axes
///     force   m a + w' x mc + w x (w x mc) + 2 w x s^T q' + s^T q''
///     torque  mc x a + J w' + J' w + B q'' + w x (J w + B q')
/// Damping counts as between body and base. Columns of other bodies aren't written. O(r^2) per body, in double.
/// @param wrench shape (6, B)
/// @throws InputError for another shape, or if no group's motion is prescribed
template <class T>
QUARTIC_EXPORT void base_wrench(const Batch<T>& batch, StateView<T> wrench);

}  // namespace quartic
