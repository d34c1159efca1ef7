// The rule of shifts: a matrix A that isn't positive definite is factorised as A + tau I with tau = 1e-6 sum |A_ii| /
// r, and with ten times more at each further try.
#pragma once

#include "core/base/host_device.hpp"
#include "core/batch/step_settings.hpp"

namespace quartic {

/// The first shift from the mean of |A_ii|. It is linear in it, so that callers may divide by r before or after.
template <class T>
[[nodiscard]] QUARTIC_HD inline T first_shift(T mean_diagonal) {
  return static_cast<T>(first_regularisation) * mean_diagonal;
}

/// The shift to try now; `next` becomes the one after it.
template <class T>
[[nodiscard]] QUARTIC_HD inline T take_shift(T& next) {
  const T shift = next;
  next *= 10;
  return shift;
}

/// How the rule ended for one matrix.
template <class T>
struct ShiftResult {
  T shift;           ///< of the last try
  bool regularised;  ///< a shift was tried
  bool solvable;     ///< the last try gave a factor
};

/// The rule for one matrix at a time.
/// @param first callable: the first shift, asked for if it is needed
/// @param factorize callable: whether A + shift I has a factor, which is kept then; called with 0 at first
template <class T, class First, class Factorize>
[[nodiscard]] QUARTIC_HD ShiftResult<T> factorize_by_shifts(const First& first, const Factorize& factorize) {
  if (factorize(T{0})) return {0, false, true};
  T shift = 0, next = first();
  for (int tries = 0; tries < regularisation_tries; ++tries) {
    shift = take_shift(next);
    if (factorize(shift)) return {shift, true, true};
  }
  return {shift, true, false};
}

}  // namespace quartic
