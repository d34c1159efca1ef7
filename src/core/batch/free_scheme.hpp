// The rigid motion of free bodies in a time step, each formula once: inline functions of one body's numbers. With body
// axes, angular velocity w, angular momentum pi = J(q) w + B(q) q' about the mass centre
// (core/frame/inertia_forms.hpp), force F and torque N in world axes, R the rotation,
//   pi1 - pi0 + h u x (pi0 + pi1) / 2 = 0     pi0 = the momentum at the start + h R0^T N
//   R1 = R0 cay(h u)                          so R1 pi1 = R0 pi0: the world's L1 = L0 + h N exactly
//   v1 = v0 + h F / m                         c1 = c0 + h (v0 + m (v1 - v0))
// where u = w0 + m (w1 - w0) and m is 1 for backward Euler, 1/2 otherwise. The coordinates' equation has besides the
// terms of a held body
//   B(q)^T w' - 2 A(w) q' - 1/2 w^T D(q) w     w'1 = (w1 - w0) / (g h) - (1 - g) / g w'0
#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/frame/rotation.hpp"
#include "core/frame/symmetric3.hpp"

namespace quartic {

/// Numbers of a step for the rigid motion, in the precision of the state.
template <class T>
struct SpinSettings {
  T dt;
  T rate, memory;  // w'1 = rate (w1 - w0) - memory w'0
  T middle;        // m above
  T velocity;      // dq'1 / dq1, as the coordinates' scheme has it
};

/// The energy-conserving scheme of free bodies iterates until round-off, at most so often: its matrix leaves out terms
/// of the size |w| h, so that each iteration gains about that factor.
inline constexpr int free_conserving_iterations = 60;

template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Vector3<T> middle_spin(const SpinSettings<T>& s, const frame::Vector3<T>& w0,
                                                              const frame::Vector3<T>& w1) {
  return w0 + s.middle * (w1 - w0);
}
template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Vector3<T> spin_rate(const SpinSettings<T>& s, const frame::Vector3<T>& w0,
                                                            const frame::Vector3<T>& w1,
                                                            const frame::Vector3<T>& rate0) {
  return s.rate * (w1 - w0) - s.memory * rate0;
}

/// What is left of pi's equation.
template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Vector3<T> momentum_defect(const SpinSettings<T>& s, const frame::Vector3<T>& u,
                                                                  const frame::Vector3<T>& pi0,
                                                                  const frame::Vector3<T>& pi1) {
  return pi1 - pi0 + (s.dt / 2) * cross(u, pi0 + pi1);
}

/// J + h/2 (u^ J - m (pi0 + pi1)^): the defect's derivative by w1, as pi1 = J w1 + ...
template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Matrix3<T> defect_derivative(const SpinSettings<T>& s,
                                                                    const frame::Symmetric3<T>& j,
                                                                    const frame::Vector3<T>& u,
                                                                    const frame::Vector3<T>& sum) {
  const T half = s.dt / 2;
  const frame::Vector3<T> a = half * u, b = (-half * s.middle) * sum;
  return {
      {{j.xx + a.y * j.xz - a.z * j.xy, j.xy + a.y * j.yz - a.z * j.yy - b.z, j.xz + a.y * j.zz - a.z * j.yz + b.y},
       {j.xy + a.z * j.xx - a.x * j.xz + b.z, j.yy + a.z * j.xy - a.x * j.yz, j.yz + a.z * j.xz - a.x * j.zz - b.x},
       {j.xz + a.x * j.xy - a.y * j.xx - b.y, j.yz + a.x * j.yy - a.y * j.xy + b.x, j.zz + a.x * j.yz - a.y * j.xz}}};
}

/// pi's equation at a guess w1 of the angular velocity, with pi1 = J w1 + `rest`.
template <class T>
struct SpinTrial {
  frame::Vector3<T> u, sum, defect;  // the mean velocity, pi0 + pi1, what is left
  T size;                            // of the momenta

  QUARTIC_HD SpinTrial(const SpinSettings<T>& s, const frame::Symmetric3<T>& j, const frame::Vector3<T>& rest,
                       const frame::Vector3<T>& w0, const frame::Vector3<T>& pi0, const frame::Vector3<T>& w1) {
    const frame::Vector3<T> spun = j * w1, pi1 = spun + rest;
    u = middle_spin(s, w0, w1);
    sum = pi0 + pi1;
    defect = momentum_defect(s, u, pi0, pi1);
    size = norm(pi0) + norm(spun) + norm(rest);
  }
  /// To round-off.
  [[nodiscard]] QUARTIC_HD bool is_solved() const {
    return !(norm(defect) > 2 * std::numeric_limits<T>::epsilon() * size);
  }
  /// Newton's next guess is w1 minus this.
  [[nodiscard]] QUARTIC_HD frame::Vector3<T> correction(const SpinSettings<T>& s, const frame::Symmetric3<T>& j) const {
    return solve(defect_derivative(s, j, u, sum), defect);
  }
};

/// Most often one or two are enough.
inline constexpr int spin_iterations = 8;

/// The angular velocity w1 with which the momentum pi1 = J w1 + `rest` solves its equation to round-off: Newton's
/// method.
/// @param w1 a guess
template <class T>
[[nodiscard]] QUARTIC_HD inline frame::Vector3<T> solve_spin(const SpinSettings<T>& s, const frame::Symmetric3<T>& j,
                                                             const frame::Vector3<T>& rest, const frame::Vector3<T>& w0,
                                                             const frame::Vector3<T>& pi0, frame::Vector3<T> w1) {
  for (int iteration = 0; iteration < spin_iterations; ++iteration) {
    const SpinTrial<T> trial(s, j, rest, w0, pi0, w1);
    if (trial.is_solved()) break;
    w1 = w1 - trial.correction(s, j);
  }
  return w1;
}

/// Whether the energy-conserving iteration of a free body has come to its end. It converges linearly, so that a
/// residual that is only small must have stopped to fall; one at round-off need only fall by less than a half.
template <class T>
[[nodiscard]] QUARTIC_HD inline bool free_converged(T squares, T terms, bool first, T last) {
  constexpr T round_off = 16 * std::numeric_limits<T>::epsilon();
  const bool small = squares <= std::numeric_limits<T>::epsilon() * terms;
  const bool least = squares <= round_off * round_off * terms;
  return squares == 0 || (!first && ((small && squares >= last) || (least && 4 * squares >= last)));
}

}  // namespace quartic
