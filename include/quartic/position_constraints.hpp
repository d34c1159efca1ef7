// Linear bodies whose vertices are held where a caller wants them, however far: what a mouse or a hand drags.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/state.hpp"
#include "quartic/warping.hpp"

namespace quartic {

struct HeldModesOptions {
  std::int64_t bodies = 1;        ///< B >= 1
  double rayleigh_mass = 0;       ///< alpha [1/s] >= 0
  double rayleigh_stiffness = 0;  ///< beta [s] >= 0
  /// Newmark's numbers. The defaults damp what (1/4, 1/2) leaves undamped, a force that alternates from step to step.
  double newmark_beta = 0.3025;  ///< > 0
  double newmark_gamma = 0.6;    ///< >= 1/2
  int iterations = 5;            ///< of Newton's method in a step, >= 1; fewer where the distance shrinks no more
  double tolerance = 1e-13;      ///< distance from the targets that ends a step's iterations [m], >= 0
};

/// What became of a body's constraints in the last step.
struct HoldStatus {
  int iterations = 0;
  std::int64_t rank = 0;  ///< of the constraints, at most 3 per vertex and k: what else is asked for is met as well as
                          ///< the modes can, in the least squares of the multipliers' system
  double distance = 0;    ///< the largest of a held vertex from its target [m]
  bool converged = true;  ///< whether that is within the tolerance, or round-off of it
  bool diverged = false;  ///< the body stays in its last finite state until it is reset
};

/// B bodies in their linear modes, shown by modal warping, stepped by Newmark's rule under position constraints:
///   q'' = A^-1 (b - J~^T mu),  (J~ A^-1 J~^T) mu = J~ A^-1 b - rho,  rho = (target - u(q)) + J (q - q~),
/// A = 1 + gamma h c + beta h^2 lambda diagonal, J~ = beta h^2 J, q~ the predictor, with J the exact derivative of what
/// is shown, anew in each iteration. A system of 3 rows per held vertex, solved on its range.
/// Course notes "FEM simulation of 3D deformable solids" 2012, part 2, appendix A, eqs A.14-A.17, where the right-hand
/// side has to be c - J q~ (printed: the velocity), and the force on the body is -J~^T mu (printed: +).
/// Each body has the same bits in any batch. One call at a time per object.
class QUARTIC_EXPORT HeldModes {
 public:
  /// @param eigenvalues lambda [1/s^2], shape (k), >= 0
  /// @param warp of the k modes; with rotations of zeros bodies are linear
  /// @throws InputError for another number of modes, or options out of range
  HeldModes(std::span<const double> eigenvalues, ModalWarp warp, const HeldModesOptions& options = {});
  HeldModes(HeldModes&&) noexcept;
  HeldModes& operator=(HeldModes&&) noexcept;
  ~HeldModes();

  [[nodiscard]] const ModalWarp& warp() const;
  /// As of `ModalBatch`, shape (k, B). `force` is that on the modes, without the constraints'.
  [[nodiscard]] StateView<double> q();
  [[nodiscard]] StateView<double> velocity();
  [[nodiscard]] StateView<double> acceleration();
  [[nodiscard]] StateView<double> force();

  /// From the next step on holds these vertices of a body, in place of those before; none lets go.
  /// @param vertices 0-based, none twice @param targets displacements from rest at the step's end [m], shape (v, 3)
  /// @throws InputError for a body or vertex out of range, one twice, or targets of another size or not finite
  void hold(std::int64_t body, std::span<const std::int32_t> vertices, std::span<const double> targets);
  void let_go(std::int64_t body) { hold(body, {}, {}); }

  /// @throws InputError unless h [s] is finite and > 0
  void step(double h);

  /// The force by which the constraints acted on a body's held vertices in the last step [N], shape (v, 3): the
  /// opposite of what a hand feels. @throws InputError for a body that there isn't
  [[nodiscard]] std::span<const double> hold_force(std::int64_t body) const;
  [[nodiscard]] std::span<const HoldStatus> status() const;  ///< shape (B)
  void reset_status();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quartic
