#include "view/session/camera.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace quartic::view {
namespace {

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

double half_tangent(const Camera& camera) {
  return std::tan(radians(camera.field_of_view) / 2);
}

// Where the eye has to be along one axis of the picture, and how far towards itself, to see all points (x, z).
class Extent {
 public:
  Extent(double tangent, std::size_t count) : tangent_(tangent) { points_.reserve(count); }

  // A point at x is seen from an eye at (centre, depth) if |x - centre| <= (depth - z) tangent: two half planes.
  void add(double x, double z) {
    points_.push_back({x, z});
    high_ = std::max(high_, x + z * tangent_);
    low_ = std::min(low_, x - z * tangent_);
  }
  // The least depth.
  [[nodiscard]] double depth() const { return (high_ - low_) / (2 * tangent_); }
  // So that seen from this depth, as much stays free on both sides: by bisection, since the two sides change with the
  // centre in opposite directions.
  [[nodiscard]] double centre(double depth) const {
    double below = low_ + depth * tangent_, above = high_ - depth * tangent_;
    if (below < above) std::swap(below, above);
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (below + above) / 2;
      double first = std::numeric_limits<double>::infinity(), last = -first;
      for (const auto& [x, z] : points_) {
        first = std::min(first, (x - middle) / (depth - z));
        last = std::max(last, (x - middle) / (depth - z));
      }
      (first + last > 0 ? above : below) = middle;
    }
    return (below + above) / 2;
  }

 private:
  struct Point {
    double x, z;
  };
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_, tangent_;
  std::vector<Point> points_;
};

}  // namespace

Eigen::Matrix3d ground_axes(UpAxis up) {
  const auto axis = static_cast<int>(up);  // x, y, z = 0, 1, 2: cyclic, so that it stays right-handed
  Eigen::Matrix3d axes;
  for (int column = 0; column < 3; ++column) axes.col(column) = Eigen::Vector3d::Unit((axis + 1 + column) % 3);
  return axes;
}

Eigen::Matrix3d Camera::axes() const {
  const double a = radians(azimuth), e = radians(elevation);
  Eigen::Matrix3d rows;
  rows << -std::sin(a), std::cos(a), 0,                                     //
      -std::sin(e) * std::cos(a), -std::sin(e) * std::sin(a), std::cos(e),  //
      std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e);
  return rows * ground_axes(up).transpose();
}

Eigen::Vector3d Camera::eye() const {
  return target + distance * axes().row(2).transpose();
}

Eigen::Matrix4d Camera::view() const {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() = axes();
  matrix.topRightCorner<3, 1>() = -(axes() * eye());
  return matrix;
}

Eigen::Matrix4d Camera::projection(double aspect, double nearest, double farthest) const {
  const double t = half_tangent(*this), depth = farthest - nearest;
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Zero();
  matrix(0, 0) = 1 / (t * aspect);
  matrix(1, 1) = 1 / t;
  matrix(0, 2) = -shift;
  matrix(2, 2) = -(farthest + nearest) / depth;
  matrix(2, 3) = -2 * farthest * nearest / depth;
  matrix(3, 2) = -1;
  return matrix;
}

Ray Camera::ray(double x, double y, double width, double height) const {
  const double t = half_tangent(*this);
  const Eigen::Vector3d in_picture((2 * x - (1 + shift) * width) / height * t, (1 - 2 * y / height) * t, -1);
  return {eye(), (axes().transpose() * in_picture).normalized()};
}

Eigen::Vector3d Camera::project(const Eigen::Vector3d& point, double width, double height) const {
  const Eigen::Vector3d seen = axes() * (point - eye());
  const double scale = height / (2 * half_tangent(*this) * -seen.z());
  return {(1 + shift) * width / 2 + seen.x() * scale, height / 2 - seen.y() * scale, -seen.z()};
}

void Camera::orbit(double azimuth_change, double elevation_change) {
  azimuth = std::remainder(azimuth + azimuth_change, 360);
  elevation = std::clamp(elevation + elevation_change, -89.0, 89.0);
}

void Camera::pan(double x_pixels, double y_pixels, double height) {
  const double pixel = 2 * half_tangent(*this) * distance / height;
  target += axes().transpose() * Eigen::Vector3d(-x_pixels * pixel, y_pixels * pixel, 0);
}

Camera fit(Camera camera, std::span<const Eigen::Vector3d> points, double aspect, double margin) {
  const double tangent = half_tangent(camera) * (1 - margin);
  Extent across(tangent * aspect * (1 - std::abs(camera.shift)), points.size()), upwards(tangent, points.size());
  const Eigen::Matrix3d axes = camera.axes();
  double lowest = std::numeric_limits<double>::infinity(), nearest = -lowest;
  for (const Eigen::Vector3d& point : points) {
    const Eigen::Vector3d seen = axes * point;
    across.add(seen.x(), seen.z());
    upwards.add(seen.y(), seen.z());
    lowest = std::min(lowest, seen.z());
    nearest = std::max(nearest, seen.z());
  }
  const double depth = std::max(across.depth(), upwards.depth());
  const double middle = (lowest + nearest) / 2;
  camera.distance = std::max(depth - middle, std::numeric_limits<double>::min());
  camera.target = axes.transpose() * Eigen::Vector3d(across.centre(depth), upwards.centre(depth), middle);
  return camera;
}

}  // namespace quartic::view
