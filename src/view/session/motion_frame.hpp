// Frames of a saved trajectory, as the viewer shows those of a session.
#pragma once

#include "quartic/trajectory.hpp"
#include "view/session/session.hpp"

namespace quartic::view {

/// @param number 0 .. frames - 1
[[nodiscard]] Frame motion_frame(const Trajectory& motion, std::int64_t number);

}  // namespace quartic::view
