// A gas that keeps p V: its pressure and how that falls as the volume grows, at one volume and in the mean over a step.
#pragma once

#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"

namespace quartic {

/// The absolute pressure of a gas, and -dp/dV >= 0; NaN where there is no volume left.
struct GasState {
  double pressure, stiffness;
};

/// @param amount p V [J]
[[nodiscard]] QUARTIC_HD inline GasState gas_at(double amount, double volume) {
  if (!(volume > 0)) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {amount / volume, amount / (volume * volume)};
}

/// The mean pressure from one volume to another, amount log(end / start) / (end - start), by which the gas does its
/// work exactly; `stiffness` is -d/d(end) of that.
[[nodiscard]] QUARTIC_HD inline GasState mean_gas(double amount, double start, double end) {
  if (!(start > 0) || !(end > 0)) return gas_at(amount, 0);
  const double change = (end - start) / start;
  const double mean = change == 0 ? 1 : std::log1p(change) / change;
  // (mean - 1 / (1 + change)) / change; by its series where that cancels, whose next term is below 1e-13.
  constexpr double small = 1e-3;
  const double fall = std::abs(change) < small
                          ? 1.0 / 2 - change * (2.0 / 3 - change * (3.0 / 4 - change * (4.0 / 5 - change * (5.0 / 6))))
                          : (mean - 1 / (1 + change)) / change;
  return {amount / start * mean, amount / (start * start) * fall};
}

/// What falls with the volume between the two, on average: minus the slope of the chord.
[[nodiscard]] QUARTIC_HD inline double chord_stiffness(double amount, double start, double end) {
  return amount / (start * end);
}

}  // namespace quartic
