// The schemes of time stepping, each formula once: inline functions of one row's numbers, or of one body's, for the
// CPU's tiles, for kernels and for the unreduced body. Whoever calls them sums over rows and solves systems its own
// way.
//
// With d = q_{n+1} - q_n, alpha and beta of a body's damping C = alpha I + beta K, R its internal force and f its load.
// R and K are those of the model times the body's stiffness scale, and of the pressures in its chambers.
#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/batch/step_settings.hpp"

namespace quartic {

/// One row of a state.
template <class T>
struct RowState {
  T q, velocity, acceleration;
};

/// A system matrix is scale K + diagonal I.
template <class T>
struct SystemScales {
  T stiffness, diagonal;
};

/// 0 for a finite number, else NaN: sums of these tell whether all numbers are finite, in any order.
template <class T>
[[nodiscard]] QUARTIC_HD inline T defect(T value) {
  return value - value;
}

// ---- Implicit Newmark and backward Euler: a_{n+1} + C v_{n+1} + R(q_{n+1}) - f = 0

template <class T>
[[nodiscard]] QUARTIC_HD inline T implicit_velocity(const StepSettings<T>& s, T d, T velocity, T acceleration) {
  return s.a4 * d + s.a5 * velocity + s.a6 * acceleration;
}
template <class T>
[[nodiscard]] QUARTIC_HD inline T implicit_acceleration(const StepSettings<T>& s, T d, T velocity, T acceleration) {
  return s.a1 * d - s.a2 * velocity - s.a3 * acceleration;
}
/// The state after the increment d.
template <class T>
[[nodiscard]] QUARTIC_HD inline RowState<T> implicit_state(const StepSettings<T>& s, const RowState<T>& before, T d) {
  return {before.q + d, implicit_velocity(s, d, before.velocity, before.acceleration),
          implicit_acceleration(s, d, before.velocity, before.acceleration)};
}

/// What the mass is multiplied with: the acceleration and its part of the damping.
template <class T>
[[nodiscard]] QUARTIC_HD inline T implicit_inertia(T acceleration, T alpha, T velocity) {
  return acceleration + alpha * velocity;
}
/// @param internal R + K beta v, or the part of it that is known before a product with K
template <class T>
[[nodiscard]] QUARTIC_HD inline T implicit_residual(T acceleration, T alpha, T velocity, T internal, T force) {
  return implicit_inertia(acceleration, alpha, velocity) + internal - force;
}

/// @param stiffness_scale what R and K of the body are multiplied with
template <class T>
[[nodiscard]] QUARTIC_HD inline SystemScales<T> implicit_system(const StepSettings<T>& s, T alpha, T beta,
                                                                T stiffness_scale = 1) {
  return {stiffness_scale * (1 + s.a4 * beta), s.a1 + s.a4 * alpha};
}

/// @param squares the sum of the residual's squares
template <class T>
[[nodiscard]] QUARTIC_HD inline bool implicit_converged(const StepSettings<T>& s, T squares) {
  return std::sqrt(squares) < s.newton_tolerance;
}

// ---- Central differences: kick, drift, kick

/// The velocity half a step later; `half` is dt / 2, or -dt / 2 for half a step earlier.
template <class T>
[[nodiscard]] QUARTIC_HD inline T kicked(T velocity, T half, T acceleration) {
  return velocity + half * acceleration;
}
template <class T>
[[nodiscard]] QUARTIC_HD inline T drifted(T q, const StepSettings<T>& s, T half_velocity) {
  return q + s.dt * half_velocity;
}
/// f - C v - R in two parts, `first` and then `second` taken off: the order of the two is the caller's, and with it the
/// last bit.
template <class T>
[[nodiscard]] QUARTIC_HD inline T explicit_acceleration(T force, T first, T second) {
  return force - first - second;
}

// ---- The energy-conserving scheme: (v_{n+1} - v_n) / dt + mean R + C d / dt = mean f

/// The mean of a load that is linear over the step.
template <class T>
[[nodiscard]] QUARTIC_HD inline T mean_load(T start, T end) {
  return T{0.5} * (start + end);
}
/// The share of d at the two Gauss points, each of which weighs 1/2.
template <class T>
[[nodiscard]] QUARTIC_HD inline T gauss_share(bool second) {
  constexpr T shares[2] = {static_cast<T>(gauss_points[0]), static_cast<T>(gauss_points[1])};  // for kernels, too
  return second ? shares[1] : shares[0];
}
template <class T>
[[nodiscard]] QUARTIC_HD inline T gauss_point(T share, T q, T d) {
  return q + share * d;
}
/// What K at one of the points is multiplied with besides d, for C d / dt.
template <class T>
[[nodiscard]] QUARTIC_HD inline T gauss_damping(const StepSettings<T>& s, T beta) {
  return beta / (2 * s.dt);
}
/// The residual but for R and K.
template <class T>
[[nodiscard]] QUARTIC_HD inline T conserving_inertia(const StepSettings<T>& s, T d, T velocity, T alpha, T load) {
  return 2 / (s.dt * s.dt) * d - 2 / s.dt * velocity + alpha / s.dt * d - load;
}
/// The weight of K at one of the points in the residual's derivative.
template <class T>
[[nodiscard]] QUARTIC_HD inline T gauss_stiffness(T share, T damping, T stiffness_scale) {
  return stiffness_scale * (share / 2 + damping);
}
/// Gonzalez' discrete gradient, for energies that aren't of degree four: R(m) + (V(q1) - V(q0) - R(m) . d) d / |d|^2
/// with the middle m of the step takes the place of R's mean, and R(m) alone where d = 0 (Gonzalez 1996, eq. 14).
/// @param change V(q1) - V(q0) @param work R(m) . d @param square |d|^2 @return what d is multiplied with
[[nodiscard]] QUARTIC_HD inline double gradient_correction(double change, double work, double square) {
  return square > 0 ? (change - work) / square : 0;
}
/// The weight of K(m) in the derivative of that, but for the correction's: it makes the matrix unsymmetric, and is
/// small.
template <class T>
[[nodiscard]] QUARTIC_HD inline T middle_stiffness(T damping, T stiffness_scale) {
  return stiffness_scale * (T{0.5} + 2 * damping);
}
/// The rest of the system, where K is the sum of both points' by these weights.
template <class T>
[[nodiscard]] QUARTIC_HD inline SystemScales<T> conserving_system(const StepSettings<T>& s, T alpha) {
  return {1, 2 / (s.dt * s.dt) + alpha / s.dt};
}
/// The size of the terms that the residual is the sum of.
template <class T>
[[nodiscard]] QUARTIC_HD inline T conserving_term(const StepSettings<T>& s, T d, T velocity, T load) {
  return 2 / s.dt * (std::abs(d / s.dt) + std::abs(velocity)) + std::abs(load);
}
/// Newton's method converges quadratically near the solution. A residual that is small against its terms and no longer
/// halves is round-off.
/// @param squares, terms the sums of the squares of the residual and of its terms
/// @param last the residual's of the iteration before
template <class T>
[[nodiscard]] QUARTIC_HD inline bool conserving_converged(T squares, T terms, bool first, T last) {
  const bool small = squares <= std::numeric_limits<T>::epsilon() * terms;
  return squares == 0 || (!first && small && 4 * squares >= last);
}
/// The state after the increment d; the stored acceleration is the step's mean one.
template <class T>
[[nodiscard]] QUARTIC_HD inline RowState<T> conserving_state(const StepSettings<T>& s, T q, T velocity, T d) {
  const T next = 2 / s.dt * d - velocity;
  return {q + d, next, (next - velocity) / s.dt};
}

}  // namespace quartic
