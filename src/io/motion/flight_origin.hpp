// What positions of flying bodies count from in single precision.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/frame/pose.hpp"

namespace quartic::io {

using FlightPath = std::vector<frame::Pose<double>>;

/// `single_precision_origin` for the room that all these poses need, and a body around each.
/// @param size of a body [m]
[[nodiscard]] std::array<double, 3> flight_origin(std::span<const FlightPath> paths, double size);

}  // namespace quartic::io
