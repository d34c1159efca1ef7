// Plane, sphere, capsule and box.
#include <algorithm>
#include <cmath>
#include <limits>
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

class Plane final : public Shape::Solid {
 public:
  explicit Plane(const PlaneShape& plane) : offset_(plane.offset) {
    const Point normal = {plane.normal[0], plane.normal[1], plane.normal[2]};
    const double length = std::hypot(normal.x, normal.y, normal.z);
    require_length(length, "the length of a plane's normal");
    if (!std::isfinite(offset_)) throw InputError("the offset of a plane must be finite");
    normal_ = (1 / length) * normal;
  }
  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_plane(normal_, offset_, x); }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::plane, .vector = normal_, .length = offset_, .reach = reach(), .depth = depth()};
  }
  [[nodiscard]] double reach() const override { return std::abs(offset_); }
  [[nodiscard]] double depth() const override { return std::numeric_limits<double>::infinity(); }

 private:
  Point normal_;
  double offset_;
};

class Sphere final : public Shape::Solid {
 public:
  explicit Sphere(double radius) : radius_(radius) { require_length(radius, "the radius of a sphere"); }
  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_sphere(radius_, x); }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::sphere, .radius = radius_, .reach = reach(), .depth = depth()};
  }
  [[nodiscard]] double reach() const override { return radius_; }
  [[nodiscard]] double depth() const override { return radius_; }

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
  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_capsule(radius_, half_, x); }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::capsule, .radius = radius_, .length = half_, .reach = reach(), .depth = depth()};
  }
  [[nodiscard]] double reach() const override { return radius_ + half_; }
  [[nodiscard]] double depth() const override { return radius_; }

 private:
  double radius_, half_;
};

class Box final : public Shape::Solid {
 public:
  explicit Box(const BoxShape& box) : half_{box.half_size[0], box.half_size[1], box.half_size[2]} {
    for (const double half : box.half_size) require_length(half, "half the size of a box");
  }
  [[nodiscard]] Nearest at(const Point& x) const override { return nearest_on_box(half_, x); }
  [[nodiscard]] SolidView view() const override {
    return {.kind = SolidKind::box, .vector = half_, .reach = reach(), .depth = depth()};
  }
  [[nodiscard]] double reach() const override { return std::max({half_.x, half_.y, half_.z}); }
  [[nodiscard]] double depth() const override { return std::min({half_.x, half_.y, half_.z}); }

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
