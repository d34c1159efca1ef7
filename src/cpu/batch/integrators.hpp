// One time step of a tile, by each integrator: from `q`, `velocity`, `acceleration` to `next_q`, ...
#pragma once

#include "core/batch/time_stepping.hpp"
#include "cpu/batch/base_tile.hpp"
#include "cpu/batch/frame_tile.hpp"
#include "cpu/batch/tile.hpp"

namespace quartic::cpu {

/// Implicit Newmark and backward Euler: they differ in the coefficients of StepSettings.
template <class System, class T>
void implicit_step(Tile<System>& tile, const StepSettings<T>& settings);

/// Central differences. @param h_is_current true if `tile.h` is H at `tile.q` already, as this function leaves it for
/// the next step
template <class System, class T>
void central_differences_step(Tile<System>& tile, const StepSettings<T>& settings, bool h_is_current);

template <class System, class T>
void energy_conserving_step(Tile<System>& tile, const StepSettings<T>& settings);

/// The same for free bodies, whose rigid motion `frame` has; they leave its new angular velocities there. The frame's
/// step has begun, and it is the tile's stiffness update.
template <class System, class T>
void free_implicit_step(Tile<System>& tile, FrameTile<System>& frame, const StepSettings<T>& settings);
template <class System, class T>
void free_energy_conserving_step(Tile<System>& tile, FrameTile<System>& frame, const StepSettings<T>& settings);

/// implicit_step for bodies on the bases that `base` has. @param predict_at_start backward Euler's way
template <class System, class T>
void base_implicit_step(Tile<System>& tile, BaseTile<System>& base, const StepSettings<T>& settings,
                        bool predict_at_start);

}  // namespace quartic::cpu
