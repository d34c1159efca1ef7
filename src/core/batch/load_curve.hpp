// Factors of forces over time.
#pragma once

#include <span>

#include "quartic/batch.hpp"

namespace quartic {

/// The curve's value at a time. A jump counts as passed `slack` before its time (curve_slack).
[[nodiscard]] double scale_at(const LoadCurve& curve, double time, double slack);

/// Checks that there are points, as many times as scales, all finite, times ascending. @throws InputError with the
/// curve's number
void check(std::span<const LoadCurve> curves);

}  // namespace quartic
