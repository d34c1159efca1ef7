// The arithmetic of free bodies' steps besides products with a model's inertia forms, for one instruction set.
#pragma once

#include "core/batch/free_scheme.hpp"
#include "cpu/batch/frame_rows.hpp"
#include "cpu/frame/frame_kernels.hpp"

namespace quartic::cpu {

/// cpu/batch/frame_tile.hpp says in which order they are called. What depends on bits that are equal at the end of a
/// step and at the start of the next one is a kernel of its own.
template <class System>
struct SpinKernels {
  using T = typename System::Number;
  using Coefficients = FrameCoefficients<System>;
  using Settings = SpinSettings<T>;
  using Rows = FrameRows<T>;

  /// B x, to `axial_part`. @param x shape (r, lanes)
  void (*axial_times)(const Coefficients& coefficients, const T* x, const Rows& rows);
  /// The momentum J w + B q' with `axial_part` = B q'. @param spin w, shape (3, lanes)
  void (*find_momentum)(const T* spin, const Rows& rows);
  /// The torque's impulse to the momentum at the start.
  void (*add_torque)(const Settings& settings, const Rows& rows);
  /// The inertia force to the residual, and the momentum's defect, with `axial_part` = B q'1.
  void (*add_inertia_force)(const Coefficients& coefficients, const Settings& settings, const Rows& rows, T* residual);
  /// Takes w out of the system. @param scale of K in the system's matrix, shape (lanes)
  void (*eliminate_spin)(const Coefficients& coefficients, const Settings& settings, const T* scale, const Rows& rows,
                         T* residual);
  /// w of the increment found, with `axial_part` = B delta.
  /// @param chosen 1 in the lanes to work on, 0 in others, shape (lanes)
  void (*correct_spin)(const Settings& settings, const T* chosen, const Rows& rows);
  /// w that solves the momentum's equation to round-off, with `axial_part` = B q'1.
  void (*solve_spins)(const Settings& settings, const T* chosen, const Rows& rows);
  /// Pose, velocities and their rates at the step's end.
  void (*advance)(const Coefficients& coefficients, const Settings& settings, const Rows& rows);
  /// The energy-conserving scheme's inertia force. @param sizes gets the size of its terms, shape (r, lanes)
  void (*add_mean_inertia_force)(const Coefficients& coefficients, const Settings& settings, const Rows& rows,
                                 T* residual, T* sizes);

  /// Those for this machine's instruction set.
  [[nodiscard]] static const SpinKernels& get();
};

}  // namespace quartic::cpu
