// Plane, sphere, capsule and box.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/contact/solids.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

using Point = Shape::Solid::Point;
using Nearest = Shape::Solid::Nearest;

void require_length(double value, const std::string& what) {
  if (!(value > 0) || !std::isfinite(value)) throw InputError(what + " must be a finite number above 0");
}

// The direction of x, or of `other` where x is zero.
Point direction(const Point& x, double length, const Point& other) {
  return length > 0 ? (1 / length) * x : other;
}

class Plane final : public Shape::Solid {
 public:
  explicit Plane(const PlaneShape& plane) : offset_(plane.offset) {
    const Point normal = {plane.normal[0], plane.normal[1], plane.normal[2]};
    const double length = std::hypot(normal.x, normal.y, normal.z);
    require_length(length, "the length of a plane's normal");
    if (!std::isfinite(offset_)) throw InputError("the offset of a plane must be finite");
    normal_ = (1 / length) * normal;
  }
  [[nodiscard]] Nearest at(const Point& x) const override { return {dot(normal_, x) - offset_, normal_}; }
  [[nodiscard]] double reach() const override { return std::abs(offset_); }

 private:
  Point normal_;
  double offset_;
};

class Sphere final : public Shape::Solid {
 public:
  explicit Sphere(double radius) : radius_(radius) { require_length(radius, "the radius of a sphere"); }
  [[nodiscard]] Nearest at(const Point& x) const override {
    const double length = norm(x);
    return {length - radius_, direction(x, length, {0, 0, 1})};
  }
  [[nodiscard]] double reach() const override { return radius_; }

 private:
  double radius_;
};

class Capsule final : public Shape::Solid {
 public:
  explicit Capsule(const CapsuleShape& capsule) : radius_(capsule.radius), half_(capsule.half_length) {
    require_length(radius_, "the radius of a capsule");
    if (!(half_ >= 0) || !std::isfinite(half_))
      throw InputError("the half length of a capsule must be a finite number >= 0");
  }
  [[nodiscard]] Nearest at(const Point& x) const override {
    const Point from_axis = {x.x, x.y, x.z - std::clamp(x.z, -half_, half_)};
    const double length = norm(from_axis);
    return {length - radius_, direction(from_axis, length, {1, 0, 0})};
  }
  [[nodiscard]] double reach() const override { return radius_ + half_; }

 private:
  double radius_, half_;
};

class Box final : public Shape::Solid {
 public:
  explicit Box(const BoxShape& box) : half_{box.half_size[0], box.half_size[1], box.half_size[2]} {
    for (const double half : box.half_size) require_length(half, "half the size of a box");
  }
  [[nodiscard]] Nearest at(const Point& x) const override {
    const Point beyond = {std::abs(x.x) - half_.x, std::abs(x.y) - half_.y, std::abs(x.z) - half_.z};
    const Point out = {std::max(beyond.x, 0.0), std::max(beyond.y, 0.0), std::max(beyond.z, 0.0)};
    const double length = norm(out);
    if (!(length <= 0))  // not a number as well
      return {
          length,
          {std::copysign(out.x / length, x.x), std::copysign(out.y / length, x.y), std::copysign(out.z / length, x.z)}};
    // Inside: the nearest face.
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) return {beyond.x, {std::copysign(1.0, x.x), 0, 0}};
    if (beyond.y >= beyond.z) return {beyond.y, {0, std::copysign(1.0, x.y), 0}};
    return {beyond.z, {0, 0, std::copysign(1.0, x.z)}};
  }
  [[nodiscard]] double reach() const override { return std::max({half_.x, half_.y, half_.z}); }

 private:
  Point half_;
};

}  // namespace

std::unique_ptr<Shape::Solid> make_plane(const PlaneShape& plane) {
  return std::make_unique<Plane>(plane);
}
std::unique_ptr<Shape::Solid> make_sphere(const SphereShape& sphere) {
  return std::make_unique<Sphere>(sphere.radius);
}
std::unique_ptr<Shape::Solid> make_capsule(const CapsuleShape& capsule) {
  return std::make_unique<Capsule>(capsule);
}
std::unique_ptr<Shape::Solid> make_box(const BoxShape& box) {
  return std::make_unique<Box>(box);
}

}  // namespace quartic
