// Frames of a saved trajectory, as the viewer shows those of a session; and what is counted in frames of either.
#pragma once

#include "quartic/trajectory.hpp"
#include "view/session/session.hpp"

namespace quartic::view {

/// @param number 0 .. frames - 1
[[nodiscard]] Frame motion_frame(const Trajectory& motion, std::int64_t number);

/// Elements turned inside out of the bodies that are out of range, the most of a body. Bodies whose displacements
/// aren't finite are left out.
[[nodiscard]] std::int64_t most_inverted_elements(const ReducedModel& model, const Frame& frame);

}  // namespace quartic::view
