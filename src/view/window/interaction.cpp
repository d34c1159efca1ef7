#include "view/window/interaction.hpp"

#include <algorithm>
#include <cmath>

namespace quartic::view {

std::optional<Pull> Interaction::grab(const WindowInput& input, int width, int height, const Camera& camera,
                                      const Frame& frame) const {
  const auto hit = pick_body(surface_, places_, frame, camera.ray(input.x, input.y, width, height));
  if (!hit) return std::nullopt;
  return Pull{.body = hit->body, .vertex = hit->vertex};
}

std::optional<std::optional<Pull>> Interaction::update(const WindowInput& input, int width, int height, Camera& camera,
                                                       const Frame& frame, bool can_pull) {
  const bool pressed = input.left && !was_left_, released = !input.left && was_left_;
  was_left_ = input.left;
  const Ray ray = camera.ray(input.x, input.y, width, height);
  if (pressed && !input.shift && can_pull && (pull_ = grab(input, width, height, camera, frame))) {
    const auto rank = static_cast<std::size_t>(surface_.rank());
    const std::span<const float> q = std::span(frame.q).subspan(static_cast<std::size_t>(pull_->body) * rank, rank);
    const std::vector<float> positions = surface_positions(surface_, q);
    grabbed_ = standing(frame, places_)[static_cast<std::size_t>(pull_->body)] *
               Eigen::Map<const Eigen::Vector3f>(&positions[std::size_t{3} * pull_->vertex]).cast<double>();
  }
  if (pull_ && released) {
    pull_.reset();
    return std::optional<Pull>{};
  }
  if (pull_) {
    pull_->target = on_facing_plane(camera, ray, grabbed_) - places_[static_cast<std::size_t>(pull_->body)];
    return pull_;
  }
  if (input.middle || (input.shift && (input.left || input.right)))
    camera.pan(input.change_x, input.change_y, height);
  else if ((input.left && !pressed) || input.right)
    camera.orbit(-0.35 * input.change_x, 0.35 * input.change_y);
  if (input.scroll != 0) camera.distance *= std::exp(-0.1 * std::clamp(input.scroll, -20.0, 20.0));
  return std::nullopt;
}

std::optional<Arrow> pull_arrow(const Frame& frame, std::span<const Eigen::Vector3d> places) {
  if (!frame.pull) return std::nullopt;
  const Eigen::Vector3d& place = places[static_cast<std::size_t>(frame.pull->pull.body)];
  return Arrow{frame.pull->from + place, frame.pull->pull.target + place};
}

}  // namespace quartic::view
