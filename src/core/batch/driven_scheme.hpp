// Coordinates whose motion is given, the same in all schemes.
#pragma once

#include "core/batch/scheme.hpp"

namespace quartic {

/// A driven coordinate after the increment d, of any scheme: the step's mean velocity, carried on to its end by that of
/// the step before. Of second order where the motion is smooth, and without the oscillations that Newmark's formulas
/// would keep of a velocity that jumps.
template <class T>
[[nodiscard]] inline RowState<T> driven_state(T dt, const RowState<T>& before, T d) {
  const T mean = d / dt, last_mean = before.velocity - dt / 2 * before.acceleration;
  const T rate = (mean - last_mean) / dt;
  return {before.q + d, mean + dt / 2 * rate, rate};
}

}  // namespace quartic
