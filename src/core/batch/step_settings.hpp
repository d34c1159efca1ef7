// What integrators are told about a step, without a word of whose step it is: kernels include this, too.
#pragma once

namespace quartic {

/// Numbers of a step in the precision of the state. Damping is the bodies' own.
template <class T>
struct StepSettings {
  T dt;
  T a1, a2, a3, a4, a5, a6;  // implicit schemes, see StepCoefficients
  T newton_tolerance;
  int newton_iterations;
};

/// The shift of an indefinite system matrix: tau = 1e-6 sum|A_ii| / r at first, ten times more at each try.
inline constexpr double first_regularisation = 1e-6;
inline constexpr int regularisation_tries = 12;

/// The energy-conserving scheme iterates until round-off, at most so often.
inline constexpr int energy_conserving_iterations = 20;

/// Its points on the segment from q_n to q_{n+1}: two-point Gauss, (1 -+ 1/sqrt(3)) / 2.
inline constexpr double gauss_points[2] = {0.21132486540518711775, 0.78867513459481288225};

}  // namespace quartic
