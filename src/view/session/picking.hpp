// Which vertex of which body the mouse points at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "view/session/camera.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::view {

struct Hit {
  std::int64_t triangle = 0;
  std::uint32_t vertex = 0;  ///< of the surface: the triangle's corner next to the point
  double distance = 0;       ///< [m] from the ray's origin
};

/// The first triangle that the ray meets, from either side. Cost O(t)
/// @param positions shape (s, 3)
[[nodiscard]] std::optional<Hit> pick(const ViewSurface& surface, std::span<const float> positions, const Ray& ray);

/// Whether the ray meets the box, made larger by `margin` [m] on all sides.
[[nodiscard]] bool meets(const Box& box, const Ray& ray, double margin);

/// Where the ray crosses the plane through `point` that faces the camera. @throws nothing: a ray along the plane gives
/// `point`
[[nodiscard]] Eigen::Vector3d on_facing_plane(const Camera& camera, const Ray& ray, const Eigen::Vector3d& point);

}  // namespace quartic::view
