// Amplitude and frequency of a sampled vibration.
#pragma once

#include <optional>
#include <span>

namespace quartic::measure {

struct Oscillation {
  double amplitude = 0;             ///< largest magnitude
  std::optional<double> frequency;  ///< [1/s]; nothing where there are fewer than three crossings of the mean
};

/// The frequency is that of the mean's crossings, from the first to the last, each placed between two samples by
/// interpolation; a crossing counts when the signal has left a band of 5 % of its range around the mean.
/// @param time ascending [s], shape (N)
/// @param signal shape (N)
[[nodiscard]] Oscillation oscillation_of(std::span<const double> time, std::span<const double> signal);

}  // namespace quartic::measure
