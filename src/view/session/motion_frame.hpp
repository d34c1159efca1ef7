// Frames of a saved trajectory, as the viewer shows those of a session; and what is counted in frames of either.
#pragma once

#include "quartic/trajectory.hpp"
#include "view/session/session.hpp"

namespace quartic::view {

class MotionFrames {
 public:
  /// Surface and motion must outlive this object.
  /// @throws InputError if the bodies fly, but the model is held
  MotionFrames(const ReducedModel& model, const ViewSurface& surface, const Trajectory& motion);

  /// @param number 0 .. frames - 1
  [[nodiscard]] Frame at(std::int64_t number) const;

 private:
  const ViewSurface& surface_;
  const Trajectory& motion_;
  Eigen::Vector3d centre_ = Eigen::Vector3d::Zero();  // of the mass of flying bodies at rest [m]
};

/// Elements turned inside out of the bodies that are out of range, the most of a body. Bodies whose displacements
/// aren't finite are left out.
[[nodiscard]] std::int64_t most_inverted_elements(const ReducedModel& model, const Frame& frame);

}  // namespace quartic::view
