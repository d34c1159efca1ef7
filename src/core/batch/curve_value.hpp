// The value of a load curve, for the host and for kernels.
#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"

namespace quartic {

/// How much before its time a jump counts as passed, for a step between these times: sums of steps must not miss it by
/// their round-off.
[[nodiscard]] QUARTIC_HD inline double curve_slack(double start, double end) {
  return 1e-6 * (end - start);
}

/// Linear between points, constant outside. A jump counts as passed `slack` before its time.
/// @param times ascending, shape (count), at least one
/// @param scales shape (count)
[[nodiscard]] QUARTIC_HD inline double curve_value(const double* times, const double* scales, std::int64_t count,
                                                   double time, double slack) {
  std::int64_t next = 0, behind = count;  // the first point after the time
  while (next < behind) {
    const std::int64_t middle = next + (behind - next) / 2;
    if (times[middle] > time + slack)
      behind = middle;
    else
      next = middle + 1;
  }
  if (next == 0) return scales[0];
  if (next == count) return scales[count - 1];
  const double share = (time - times[next - 1]) / (times[next] - times[next - 1]);
  const double clamped = share < 0 ? 0 : share > 1 ? 1 : share;
  return scales[next - 1] + clamped * (scales[next] - scales[next - 1]);
}

}  // namespace quartic
