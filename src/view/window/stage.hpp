// Where bodies stand, and from where all of them are seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/gl/scene_renderer.hpp"
#include "view/session/picking.hpp"

namespace quartic::view {

/// Places of bodies on a grid along the ground, around the first one's own place. @param box of one body [m]
/// @return shape (B)
[[nodiscard]] std::vector<Eigen::Vector3d> body_places(std::int64_t bodies, const Box& box, UpAxis up);

/// The scene that holds bodies in all these states, seen as the options say, beside what the shift leaves free.
/// O(frames B s r) at most
/// @param states coordinates of all bodies, shape (B, r) each; at least one
[[nodiscard]] Scene make_scene(const ViewSurface& surface, std::span<const Eigen::Vector3d> places,
                               std::span<const std::vector<float>> states, const SceneOptions& options, double aspect,
                               double shift = 0);

/// The largest displacement [m] or strain in these states, and no less than a millionth of the size.
[[nodiscard]] double largest_value(const ViewSurface& surface, std::span<const std::vector<float>> states,
                                   ColourBy colour_by);

struct BodyHit : Hit {
  std::int64_t body = 0;
};
/// The first body that the ray meets, and where. @param q shape (B, r)
[[nodiscard]] std::optional<BodyHit> pick_body(const ViewSurface& surface, std::span<const Eigen::Vector3d> places,
                                               std::span<const float> q, const Ray& ray);

}  // namespace quartic::view
