// A camera that circles around a target.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>

namespace quartic::view {

/// Which axis of the mesh points up.
enum class UpAxis : std::uint8_t { x, y, z };

/// Columns: two axes along the ground and the one that points up, right-handed.
[[nodiscard]] Eigen::Matrix3d ground_axes(UpAxis up);

struct Ray {
  Eigen::Vector3d origin, direction;  ///< of unit length
};

struct Camera {
  double azimuth = -60;       ///< [degrees] of the eye around the up axis, counter-clockwise from the first ground axis
  double elevation = 22;      ///< [degrees] of the eye above the ground, -89 .. 89
  double distance = 3;        ///< [m] from the target, > 0
  double field_of_view = 28;  ///< [degrees] from the picture's bottom to its top
  double shift = 0;           ///< how far right of the picture's middle the target is, as a share of half the width
  UpAxis up = UpAxis::z;
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< [m]

  /// Rows: to the right, up in the picture, towards the eye; an orthogonal matrix.
  [[nodiscard]] Eigen::Matrix3d axes() const;
  [[nodiscard]] Eigen::Vector3d eye() const;
  [[nodiscard]] Eigen::Matrix4d view() const;
  /// OpenGL's, depth in [-1, 1] between the distances `nearest` and `farthest` [m]. @param aspect width over height
  [[nodiscard]] Eigen::Matrix4d projection(double aspect, double nearest, double farthest) const;

  /// From the eye through a point of the picture. @param x, y pixels from the left and the top
  [[nodiscard]] Ray ray(double x, double y, double width, double height) const;
  /// Pixels from the left and the top, and the distance in front of the eye [m], which is negative behind it.
  [[nodiscard]] Eigen::Vector3d project(const Eigen::Vector3d& point, double width, double height) const;

  /// Turns around the target, in degrees; the elevation stays within +-89.
  void orbit(double azimuth_change, double elevation_change);
  /// Moves the target in the picture's plane by pixels, so that what is at the target's distance follows the mouse.
  void pan(double x_pixels, double y_pixels, double height);
};

/// The camera with target and distance such that all points just fit in, with a margin, seen from the same direction.
/// @param points at least one
/// @param margin share of the picture's half width and height that stays free, in [0, 1)
/// Where the picture is shifted, in what is left of it to both sides of the target.
[[nodiscard]] Camera fit(Camera camera, std::span<const Eigen::Vector3d> points, double aspect, double margin = 0.1);

}  // namespace quartic::view
