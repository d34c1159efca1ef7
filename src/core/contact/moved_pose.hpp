// A frame on its way, for the host and for kernels.
#pragma once

#include "core/base/host_device.hpp"
#include "core/frame/pose.hpp"

namespace quartic {

/// After a time [s] at even velocities, in world axes.
[[nodiscard]] QUARTIC_HD inline frame::Pose<double> moved_pose(const frame::Pose<double>& pose,
                                                               const frame::Vector3<double>& velocity,
                                                               const frame::Vector3<double>& spin, double time) {
  return {pose.position + time * velocity, frame::normalised(frame::rotation_exp(time * spin) * pose.rotation)};
}

}  // namespace quartic
