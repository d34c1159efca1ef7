// Bounding spheres of a deforming body, from its reduced coordinates alone: a BD-tree (James & Pai, "BD-Tree", 2004).
//
// Each node of the tree has a sphere around its contact points p_i = X_i + U_i q, whatever q is. With c the rest centre
// and R the rest radius of the node's points, and the node's fields split into an affine part and a rest,
//   U_ij = a_j + A_j (X_i - c) + e_ij         (a_j, A_j by least squares over the node's points)
// the sphere of the centre c' and the radius R' has all of them:
//   c' = c + S_j q_j a_j         R' = |I + S_j q_j A_j|_2 R + S_j |q_j| max_i |e_ij|
// Any a and A give a sphere that holds; good ones a tight one. 13 r multiply-adds per node, points aren't looked at.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/state.hpp"
#include "quartic/storage.hpp"

namespace quartic {

struct ReducedModel;

/// Points of the surface that a model is drawn by (its embedded surface, or else the mesh's boundary), which stand for
/// it in contacts.
struct ContactPoints {
  std::vector<std::int32_t> triangles = {};  ///< of that surface, on which each point lies, shape (p)
  std::vector<double> weights = {};          ///< barycentric coordinates there, shape (p, 3)
  std::vector<double> positions = {};        ///< X, in the mesh's coordinates [m], shape (p, 3)
  std::vector<double> areas = {};  ///< share of the surface at rest [m^2], shape (p); they add up to all of it
  Matrix basis = {};               ///< U_i, as rows of ReducedModel::basis, shape (3p, r)

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(areas.size()); }
};

struct ContactPointOptions {
  /// Triangles are cut into equal smaller ones until no edge at rest is longer [m], > 0; their corners are the points,
  /// so that no place of the surface is farther than spacing / sqrt(3) from one. Infinity: the vertices alone.
  double spacing = std::numeric_limits<double>::infinity();
};

/// The vertices that some triangle has, in their order, and then points between them.
/// @throws InputError for a model without a basis, a spacing that isn't > 0, more points than numbers of 32 bits, or a
/// surface whose arrays aren't sound
[[nodiscard]] QUARTIC_EXPORT ContactPoints contact_points(const ReducedModel& model,
                                                          const ContactPointOptions& options = {});

/// A node: its children, or none of a leaf, and all points below it. Both lie side by side.
struct BoundNode {
  std::int32_t first_child = 0, children = 0;
  std::int32_t first_point = 0, points = 0;

  [[nodiscard]] bool operator==(const BoundNode&) const = default;
};

/// Nodes of up to eight children, leaves of up to 32 points: n nodes, the root first, then level by level, no more than
/// 32 levels below it.
struct BoundTree {
  static constexpr int leaf_points = 32, fan_out = 8;

  int rank = 0;
  /// Tells the model's moments of mass, and with them its basis, from those of others; 0 for a model that holds none.
  std::uint32_t moments_fingerprint = 0;
  ContactPoints points = {};               ///< ordered so that each node's are contiguous
  std::vector<BoundNode> nodes = {};       ///< shape (n)
  std::vector<double> rest_spheres = {};   ///< c in the mesh's coordinates and R [m], shape (n, 4)
  std::vector<double> centre_fields = {};  ///< a_j, shape (n, 3, r)
  std::vector<double> affine_fields = {};  ///< A_j row by row [1/m of a_j], shape (n, 3, 3, r)
  std::vector<double> residuals = {};      ///< max_i |e_ij|, shape (n, r)

  [[nodiscard]] std::int64_t node_count() const { return static_cast<std::int64_t>(nodes.size()); }
};

/// Orders the points and fits the nodes. The same bits on every run. O(p r log p): a second for 1e5 points of rank 30.
/// @throws InputError for no points, or arrays that don't fit together
[[nodiscard]] QUARTIC_EXPORT BoundTree bound_tree(ContactPoints points);
/// Of a model's contact points.
[[nodiscard]] QUARTIC_EXPORT BoundTree bound_tree(const ReducedModel& model, const ContactPointOptions& options = {});
/// The same points in the same tree, with the positions and fields that the model has now: after an edit that changed
/// its basis. @throws InputError if the model's surface lacks a triangle that a point is on
[[nodiscard]] QUARTIC_EXPORT BoundTree refitted(const BoundTree& tree, const ReducedModel& model);

/// Checks all that spheres rely on: the shape of the tree, that all points of a node are in its sphere at rest, and
/// that their fields differ from affine ones by no more than the residuals. O(p r log p)
/// @throws InputError that says what isn't so
QUARTIC_EXPORT void require_sound(const BoundTree& tree);

/// Spheres of many bodies at once, one body per SIMD lane, T = float or double.
///
/// What rounding may do is part of each radius, so that points that are computed in T, and exact ones, are in the
/// spheres for every q: 2 (r + 64) u S with u the unit round-off and S = size_0 + S_j |q_j| size_j, sums of the largest
/// absolute numbers that a sphere is computed from. That is 1e-5 of the body's size in float.
template <class T>
class QUARTIC_EXPORT SphereFit {
 public:
  /// @throws InputError as `require_sound`
  explicit SphereFit(const BoundTree& tree);
  SphereFit(SphereFit&&) noexcept;
  SphereFit& operator=(SphereFit&&) noexcept;
  ~SphereFit();

  [[nodiscard]] int rank() const;
  [[nodiscard]] std::int64_t node_count() const;

  /// Centres c' and radii R' [m] of all nodes of all bodies, in the mesh's coordinates, where an undeformed body is at
  /// rest: poses are applied to centres afterwards, and radii don't turn. A body's numbers don't depend on others. Who
  /// moves points besides U q adds how far to the radii. B n (13 r + 40) multiply-adds, nothing is allocated.
  /// @param q shape (r, B) @param spheres shape (B, n, 4)
  /// @throws InputError for other shapes
  void refit(StateView<const T> q, std::span<T> spheres) const;

 private:
  struct Packed;
  std::unique_ptr<const Packed> packed_;
};

}  // namespace quartic
