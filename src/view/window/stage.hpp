// Where bodies stand, and from where all of them are seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "view/gl/scene_renderer.hpp"
#include "view/session/picking.hpp"
#include "view/session/session.hpp"
#include "view/window/viewer.hpp"

namespace quartic::view {

/// Places of bodies on a grid along the ground, around the first one's own place. @param box of one body [m]
/// @return shape (B)
[[nodiscard]] std::vector<Eigen::Vector3d> body_places(std::int64_t bodies, const Box& box, UpAxis up);

/// Where the bodies stand that the options show: on that grid, but those of a recorded flight where they flew.
[[nodiscard]] std::vector<Eigen::Vector3d> shown_places(const ViewSurface& surface, const ViewOptions& options);

/// Where the surface's coordinates are of each body in the picture: at its place, by its pose if it flies.
/// @param places shape (B)
/// @return shape (B)
[[nodiscard]] std::vector<Eigen::Isometry3d> standing(const Frame& frame, std::span<const Eigen::Vector3d> places);

/// The scene that holds bodies in all these frames, seen as the options say, beside what the shift leaves free.
/// O(frames B s r) at most
/// @param frames at least one
[[nodiscard]] Scene make_scene(const ViewSurface& surface, std::span<const Eigen::Vector3d> places,
                               std::span<const Frame> frames, const SceneOptions& options, double aspect,
                               double shift = 0);

/// Takes the scene's ball to where flying bodies are. @param follow the camera goes along with its middle
void keep_in_scene(Scene& scene, const ViewSurface& surface, std::span<const Eigen::Isometry3d> poses, bool follow);

/// The largest displacement [m] or strain in these frames, of bodies that fly in their own axes, and no less than a
/// millionth of the size.
[[nodiscard]] double largest_value(const ViewSurface& surface, std::span<const Frame> frames, ColourBy colour_by);

struct BodyHit : Hit {
  std::int64_t body = 0;
};
/// The first body that the ray meets, and where.
[[nodiscard]] std::optional<BodyHit> pick_body(const ViewSurface& surface, std::span<const Eigen::Vector3d> places,
                                               const Frame& frame, const Ray& ray);

}  // namespace quartic::view
