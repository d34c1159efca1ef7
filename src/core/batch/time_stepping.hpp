// The numbers that a time step needs, computed in double and rounded once.
#pragma once

#include "core/batch/free_scheme.hpp"
#include "core/batch/step_settings.hpp"
#include "quartic/batch.hpp"

namespace quartic {

/// With the increment d = q_{n+1} - q_n, implicit one-step schemes write
///   acceleration_{n+1} = a1 d - a2 v - a3 a,   velocity_{n+1} = a4 d + a5 v + a6 a.
/// Newmark's numbers are the alpha_1 .. alpha_6 of the 2005 paper, Appendix C; backward Euler,
/// v_{n+1} = d / dt and a_{n+1} = (v_{n+1} - v) / dt, has the same form.
struct StepCoefficients {
  double a1, a2, a3, a4, a5, a6;
};

[[nodiscard]] constexpr StepCoefficients newmark_coefficients(double beta, double gamma, double dt) {
  return {.a1 = 1 / (beta * dt * dt),
          .a2 = 1 / (beta * dt),
          .a3 = (1 - 2 * beta) / (2 * beta),
          .a4 = gamma / (beta * dt),
          .a5 = 1 - gamma / beta,
          .a6 = (1 - gamma / (2 * beta)) * dt};
}

[[nodiscard]] constexpr StepCoefficients backward_euler_coefficients(double dt) {
  return {.a1 = 1 / (dt * dt), .a2 = 1 / dt, .a3 = 0, .a4 = 1 / dt, .a5 = 0, .a6 = 0};
}

template <class T>
[[nodiscard]] StepSettings<T> step_settings(const BatchOptions& options, double dt) {
  const StepCoefficients c = options.integrator == Integrator::backward_euler
                                 ? backward_euler_coefficients(dt)
                                 : newmark_coefficients(options.newmark_beta, options.newmark_gamma, dt);
  return {.dt = static_cast<T>(dt),
          .a1 = static_cast<T>(c.a1),
          .a2 = static_cast<T>(c.a2),
          .a3 = static_cast<T>(c.a3),
          .a4 = static_cast<T>(c.a4),
          .a5 = static_cast<T>(c.a5),
          .a6 = static_cast<T>(c.a6),
          .newton_tolerance = static_cast<T>(options.newton_tolerance),
          .newton_iterations = options.newton_iterations};
}

/// For groups with a frame: w'1 = (w1 - w0) / (g h) - (1 - g) / g w'0, g being Newmark's gamma, or 1.
template <class T>
[[nodiscard]] SpinSettings<T> spin_settings(const BatchOptions& options, double dt) {
  const bool newmark = options.integrator == Integrator::newmark;
  const bool euler = options.integrator == Integrator::backward_euler;
  const double g = newmark ? options.newmark_gamma : 1;
  const double velocity = newmark ? newmark_coefficients(options.newmark_beta, options.newmark_gamma, dt).a4
                          : euler ? 1 / dt
                                  : 2 / dt;
  return {.dt = static_cast<T>(dt),
          .rate = static_cast<T>(1 / (g * dt)),
          .memory = static_cast<T>((1 - g) / g),
          .middle = static_cast<T>(euler ? 1 : 0.5),
          .velocity = static_cast<T>(velocity)};
}

}  // namespace quartic
