#include "io/motion/flight_origin.hpp"

#include <algorithm>
#include <limits>

#include "io/motion/single_precision_origin.hpp"

namespace quartic::io {

std::array<double, 3> flight_origin(std::span<const FlightPath> paths, double size) {
  std::array<double, 3> low, high, middle{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const FlightPath& path : paths)
    for (const auto& pose : path) {
      const std::array<double, 3> at = {pose.position.x, pose.position.y, pose.position.z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], at[axis]);
        high[axis] = std::max(high[axis], at[axis]);
      }
    }
  double room = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    middle[axis] = low[axis] + (high[axis] - low[axis]) / 2;
    room = std::max(room, high[axis] - low[axis]);
  }
  return single_precision_origin(middle, room + size);
}

}  // namespace quartic::io
