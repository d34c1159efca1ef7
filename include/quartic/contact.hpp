// Where deforming bodies meet shapes whose motion is known: the ground, a ball, a wall, an animated mesh.
//
// Contact points of a body (quartic/bound_tree.hpp) are tested one by one, in those leaves of its tree whose spheres
// come near a shape. A point's gap is the shape's signed distance there, below 0 inside. The stages can be called one
// by one; the result is that of testing all points. Between points nothing is seen: parts of a shape that are thinner
// than their spacing may pass through. Everything here is for bodies on the host, and in double.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "quartic/bound_tree.hpp"
#include "quartic/export.hpp"
#include "quartic/state.hpp"

namespace quartic {

/// What lies below the plane normal . x = offset is solid.
struct PlaneShape {
  std::array<double, 3> normal = {0, 0, 1};  ///< of any length but 0
  double offset = 0;                         ///< along the normal of unit length [m]
};
/// About the origin.
struct SphereShape {
  double radius = 1;  ///< [m] > 0
};
/// A cylinder along z with half spheres at its ends.
struct CapsuleShape {
  double radius = 1;       ///< [m] > 0
  double half_length = 1;  ///< of the cylinder [m] >= 0
};
/// About the origin, its sides along the axes.
struct BoxShape {
  std::array<double, 3> half_size = {1, 1, 1};  ///< [m] > 0
};
/// Signed distances at the points of a lattice, linear in each direction between them. Outside of the lattice, those of
/// its nearest point plus the way there.
struct DistanceGrid {
  std::array<double, 3> origin = {};        ///< of the first point [m]
  double spacing = 1;                       ///< [m] > 0
  std::array<std::int32_t, 3> counts = {};  ///< of points along each axis, >= 2
  std::vector<double> values = {};          ///< [m], shape (nz, ny, nx), C order; >= 0 on the lattice's faces
};
/// A closed surface: each edge has two triangles, which are wound the same way. Signs are those of pseudo-normals
/// (Baerentzen & Aanaes 2005), so that the surface may be concave. It may have several parts, side by side, or wound
/// inwards as cavities of others.
struct MeshShape {
  std::vector<double> vertices = {};         ///< [m], shape (n, 3)
  std::vector<std::int32_t> triangles = {};  ///< counter-clockwise from outside, shape (t, 3)
};
using ShapeGeometry = std::variant<PlaneShape, SphereShape, CapsuleShape, BoxShape, DistanceGrid, MeshShape>;

struct SurfaceDistance {
  double gap = 0;                            ///< [m], below 0 inside
  std::array<double, 3> normal = {0, 0, 1};  ///< outwards, of unit length
};

/// A solid in its own frame, made once and shared by its copies.
class QUARTIC_EXPORT Shape {
 public:
  /// @throws InputError for numbers that make no solid, or a mesh that isn't closed, with what helps
  explicit Shape(ShapeGeometry geometry);

  [[nodiscard]] const ShapeGeometry& geometry() const { return *geometry_; }
  /// At a point of the shape's frame. Of a mesh O(log t), else O(1). The normal is the gap's gradient; of a grid that
  /// of central differences, which is continuous; where there is none, as in a ball's centre, some unit vector.
  [[nodiscard]] SurfaceDistance distance(const std::array<double, 3>& x) const;
  /// The gap of two points differs by at most so many times their distance: 1, or more for a grid.
  [[nodiscard]] double slope() const;

  class Solid;  ///< internal to quartic
  [[nodiscard]] const Solid& solid() const { return *solid_; }

 private:
  std::shared_ptr<const ShapeGeometry> geometry_;
  std::shared_ptr<const Solid> solid_;
};

/// The distances of a shape on a lattice around a box, which costs one look-up per query afterwards.
/// @param low, high corners of the box [m], around which there is one more point on each side
/// @throws InputError for a spacing that isn't > 0, more than 2^28 points, a box without extent, or where a face of the
/// lattice is inside of the shape
[[nodiscard]] QUARTIC_EXPORT DistanceGrid distance_grid(const Shape& shape, const std::array<double, 3>& low,
                                                        const std::array<double, 3>& high, double spacing);

/// A shape in the world, where the caller puts it.
struct Collider {
  Shape shape;
  std::array<double, 7> pose = {0, 0, 0, 0, 0, 0, 1};  ///< of its frame: position [m], quaternion x y z w
  std::array<double, 6> twist = {};  ///< velocity of the frame's origin [m/s], angular velocity [rad/s], world axes
};

/// Where the bodies of one model are.
template <class T>
struct BodyPlaces {
  StateView<const T> q = {};          ///< shape (r, B)
  StateView<const T> pose = {};       ///< as Batch::pose, shape (7, B); without data: where the mesh is
  std::array<double, 3> origin = {};  ///< of the poses' frame in the mesh's coordinates: FrameMoments::origin
};

/// A leaf of a body's tree that may touch a shape.
struct LeafPair {
  std::int64_t body = 0;
  std::int32_t shape = 0;  ///< of the colliders
  std::int32_t node = 0;   ///< of the tree

  [[nodiscard]] bool operator==(const LeafPair&) const = default;
};

/// A point of a body in or near a shape.
struct Contact {
  std::int64_t body = 0;
  std::int32_t shape = 0;               ///< of the colliders
  std::int32_t point = 0;               ///< of the bound tree
  std::array<double, 3> position = {};  ///< of the point, in the world [m]
  std::array<double, 3> normal = {};    ///< of the shape, outwards
  double gap = 0;                       ///< [m], below 0 inside
  double area = 0;                      ///< the point's share of the surface at rest [m^2]
  std::array<double, 3> force = {};     ///< on the body [N], world axes; zero before a response has been computed
};

/// Leaves whose spheres come as near to a shape as the margin, in order of body, shape and node. A shape whose frame or
/// a body whose pose isn't finite touches nothing.
/// @param spheres of `SphereFit::refit`, shape (B, n, 4)
/// @param margins of each body [m] >= 0, shape (B); empty: 0
/// @throws InputError for shapes of arrays that don't fit
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<LeafPair> touching_leaves(const BoundTree& tree, std::span<const T> spheres,
                                                                   const BodyPlaces<T>& places,
                                                                   std::span<const Collider> colliders,
                                                                   std::span<const double> margins = {});

/// Points of these leaves with a gap below the margin, in their order. @throws InputError as above, or for a pair that
/// doesn't exist
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<Contact> leaf_contacts(const BoundTree& tree, std::span<const LeafPair> leaves,
                                                                const BodyPlaces<T>& places,
                                                                std::span<const Collider> colliders,
                                                                std::span<const double> margins = {});

/// All stages: spheres, leaves, points.
/// @param fit of the tree
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<Contact> find_contacts(const BoundTree& tree, const SphereFit<T>& fit,
                                                                const BodyPlaces<T>& places,
                                                                std::span<const Collider> colliders,
                                                                std::span<const double> margins = {});

}  // namespace quartic
