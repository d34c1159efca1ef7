// Signed distances of solids.
#pragma once

#include <cstdint>
#include <memory>

#include "core/contact/solid_view.hpp"
#include "core/frame/vector3.hpp"
#include "quartic/contact.hpp"

namespace quartic {

/// What a shape's distance is computed by.
class Shape::Solid {
 public:
  using Point = frame::Vector3<double>;

  using Nearest = NearestOnSolid;

  virtual ~Solid() = default;
  Solid() = default;
  Solid(const Solid&) = delete;
  Solid& operator=(const Solid&) = delete;

  [[nodiscard]] virtual Nearest at(const Point& x) const = 0;
  /// The gap of two points differs by at most so many times their distance.
  [[nodiscard]] virtual double slope() const { return 1; }
  /// The largest absolute coordinate of what makes it up, for bounds of round-off.
  [[nodiscard]] virtual double reach() const = 0;
  /// How deep places in it are: the deepest, of a mesh what its volume over its surface says; infinite for a plane.
  [[nodiscard]] virtual double depth() const = 0;
  /// All of this for kernels, as long as the solid exists.
  [[nodiscard]] virtual SolidView view() const = 0;
};

/// @throws InputError for numbers that make no solid; the geometry must stay where it is
[[nodiscard]] std::unique_ptr<Shape::Solid> make_plane(const PlaneShape& plane);
[[nodiscard]] std::unique_ptr<Shape::Solid> make_sphere(const SphereShape& sphere);
[[nodiscard]] std::unique_ptr<Shape::Solid> make_capsule(const CapsuleShape& capsule);
[[nodiscard]] std::unique_ptr<Shape::Solid> make_box(const BoxShape& box);
[[nodiscard]] std::unique_ptr<Shape::Solid> make_grid(const DistanceGrid& grid);
[[nodiscard]] std::unique_ptr<Shape::Solid> make_mesh(const MeshShape& mesh);

}  // namespace quartic
