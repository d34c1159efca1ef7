// What mouse and keys do to camera and bodies.
#pragma once

#include <optional>
#include <span>

#include "view/session/session.hpp"
#include "view/window/stage.hpp"
#include "view/window/window.hpp"

namespace quartic::view {

/// The mouse: left on a body pulls at it, left elsewhere or right turns the camera, middle or shift moves it, the wheel
/// goes nearer.
class Interaction {
 public:
  /// Both must outlive this object.
  Interaction(const ViewSurface& surface, std::span<const Eigen::Vector3d> places)
      : surface_(surface), places_(places) {}

  /// @param can_pull whether there is a session to pull in
  /// @return what should pull from now on, if that has changed; holds nothing when it ends
  std::optional<std::optional<Pull>> update(const WindowInput& input, int width, int height, Camera& camera,
                                            const Frame& frame, bool can_pull);

 private:
  std::optional<Pull> grab(const WindowInput& input, int width, int height, const Camera& camera,
                           const Frame& frame) const;

  const ViewSurface& surface_;
  std::span<const Eigen::Vector3d> places_;
  bool was_left_ = false;
  std::optional<Pull> pull_;
  Eigen::Vector3d grabbed_ = Eigen::Vector3d::Zero();  // on the plane in which the mouse moves, in the world
};

/// A body's pull as an arrow in the scene.
[[nodiscard]] std::optional<Arrow> pull_arrow(const Frame& frame, std::span<const Eigen::Vector3d> places);

}  // namespace quartic::view
