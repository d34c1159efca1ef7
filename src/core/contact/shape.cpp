#include <utility>
#include <variant>

#include "core/contact/solids.hpp"
#include "quartic/contact.hpp"

namespace quartic {
namespace {

struct MakeSolid {
  using Result = std::unique_ptr<Shape::Solid>;
  Result operator()(const PlaneShape& plane) const { return make_plane(plane); }
  Result operator()(const SphereShape& sphere) const { return make_sphere(sphere); }
  Result operator()(const CapsuleShape& capsule) const { return make_capsule(capsule); }
  Result operator()(const BoxShape& box) const { return make_box(box); }
  Result operator()(const DistanceGrid& grid) const { return make_grid(grid); }
  Result operator()(const MeshShape& mesh) const { return make_mesh(mesh); }
};

}  // namespace

Shape::Shape(ShapeGeometry geometry)
    : geometry_(std::make_shared<const ShapeGeometry>(std::move(geometry))),
      solid_(std::visit(MakeSolid{}, *geometry_)) {}

SurfaceDistance Shape::distance(const std::array<double, 3>& x) const {
  const Solid::Nearest nearest = solid_->at({x[0], x[1], x[2]});
  return {nearest.gap, {nearest.normal.x, nearest.normal.y, nearest.normal.z}};
}

double Shape::slope() const {
  return solid_->slope();
}

}  // namespace quartic
