// Where deforming bodies meet each other.
//
// A body's contact points (quartic/bound_tree.hpp) are tested against the surface of the other body as it is now, and
// the other's against its own: each by half the share of the surface, so that it doesn't matter which body is which. A
// point's gap is the signed distance to that surface, below 0 inside: to the nearest place of its triangles, with the
// sign of the pseudo-normal there (Baerentzen & Aanaes 2005). Between points nothing is seen: edges against edges as
// far as points are dense. A body doesn't meet itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/bound_tree.hpp"
#include "quartic/contact.hpp"
#include "quartic/export.hpp"

namespace quartic {

struct ReducedModel;

/// The closed surface of a model's bodies, by the points of its bound tree: the one that the model is drawn by.
/// Vertices at exactly one place at rest, as at the seams of a texture, count as one.
class QUARTIC_EXPORT CollisionSurface {
 public:
  /// O(t log t) @throws InputError for a tree that isn't of the model's surface, or a surface that isn't closed or is
  /// wound inwards, with what helps
  CollisionSurface(const ReducedModel& model, std::shared_ptr<const BoundTree> tree);
  ~CollisionSurface();
  CollisionSurface(const CollisionSurface&) = delete;
  CollisionSurface& operator=(const CollisionSurface&) = delete;

  [[nodiscard]] const std::shared_ptr<const BoundTree>& tree() const { return tree_; }
  /// Points of the tree, counter-clockwise from outside, shape (t, 3).
  [[nodiscard]] std::span<const std::int32_t> triangles() const { return triangles_; }

  class Topology;  ///< internal to quartic
  [[nodiscard]] const Topology& topology() const { return *topology_; }

 private:
  std::shared_ptr<const BoundTree> tree_;
  std::vector<std::int32_t> triangles_;
  std::unique_ptr<const Topology> topology_;
};

/// Bodies of one model. The numbers of bodies run on from one model's to the next one's, as in a batch.
template <class T>
struct CollidingBodies {
  std::shared_ptr<const CollisionSurface> surface = nullptr;  ///< null: they meet no body
  BodyPlaces<T> places = {};
};

/// What tells bodies apart. Both empty or of shape (B).
struct CollisionLabels {
  /// Of each body, all different; empty: its number. Results are in the order of ids, and so are sums: which body is
  /// where in a batch doesn't matter then.
  std::span<const std::int32_t> ids = {};
  std::span<const std::int32_t> environments = {};  ///< bodies of different ones never meet; empty: all do
};

/// Two bodies, of which the first has the lower id.
struct BodyPair {
  std::int64_t first = 0, second = 0;

  [[nodiscard]] bool operator==(const BodyPair&) const = default;
};

/// A point of a body in or near another body.
struct BodyContact {
  std::int64_t body = 0, other = 0;
  std::int32_t point = 0;                    ///< of the body's bound tree
  std::array<std::int32_t, 3> corners = {};  ///< of the nearest triangle: points of the other's bound tree
  std::array<double, 3> weights = {};        ///< barycentric coordinates of the nearest place there
  std::array<double, 3> position = {};       ///< of the point, in the world [m]
  std::array<double, 3> normal = {};         ///< of the other's surface, outwards, of unit length
  double gap = 0;                            ///< [m], below 0 inside
  double area = 0;                           ///< half the point's share of the surface at rest [m^2]
  std::array<double, 3> force = {};          ///< on the body [N], world axes; the other has the opposite one
};

/// Pairs of bodies whose bounding spheres come as near as both margins, in the order of their ids: sorted along an
/// axis, and swept. Bodies whose pose or spheres aren't finite meet none.
/// @param margins of each body [m] >= 0, shape (B); empty: 0
/// @throws InputError for arrays that don't fit, or ids that aren't all different
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<BodyPair> touching_bodies(std::span<const CollidingBodies<T>> groups,
                                                                   const CollisionLabels& labels = {},
                                                                   std::span<const double> margins = {});

/// Points of these pairs with a gap below the sum of both margins, in their order: those of the first body in the
/// second, then of the second in the first, in the order of points.
/// @throws InputError as above, or for a pair of bodies that don't exist or don't collide
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<BodyContact> pair_contacts(std::span<const BodyPair> pairs,
                                                                    std::span<const CollidingBodies<T>> groups,
                                                                    const CollisionLabels& labels = {},
                                                                    std::span<const double> margins = {});

/// Both stages.
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::vector<BodyContact> find_body_contacts(std::span<const CollidingBodies<T>> groups,
                                                                         const CollisionLabels& labels = {},
                                                                         std::span<const double> margins = {});

struct CollisionOptions {
  /// Of all contacts of an island in the first of Newton's iterations, at most, and an eighth of that in each of the
  /// others; fewer where impulses no longer change by ContactOptions::tolerance of the largest. >= 1
  int sweeps = 50;
  std::vector<std::int32_t> ids = {};           ///< CollisionLabels::ids
  std::vector<std::int32_t> environments = {};  ///< CollisionLabels::environments
  bool tests_all_pairs = false;  ///< instead of those whose spheres are near: the same bits, in more time; for checks
};

template <class T>
class World;

/// From now on a world's bodies meet each other, on the CPU and by backward Euler.
///
/// Bodies that have points near each other make *islands*, which are stepped as a whole, with all that they touch of
/// shapes, too: the force of each contact is that of quartic/world.hpp at the step's end, with the gap as it follows
/// from velocities along the normal at the step's start. Friction sticks truly: |f_t| <= mu f_n, and below that the
/// contact doesn't slide. `friction_velocity` is for bodies that touch shapes alone. Impulses act at the places of the
/// step's start, on both bodies the opposite ones: linear and angular momentum of bodies that fly stay as they are, to
/// round-off. Equations are solved by Newton's method, impulses by Gauss-Seidel sweeps that begin with the forces of
/// the last step; how many islands these leave unsettled is reported.
///
/// A body's bits follow from the state, parameters, ids and shapes of the bodies that have been in its islands, and
/// from those in theirs up to then: not from the places of bodies in a batch, from strangers, or from threads.
/// @param surfaces of the batch's groups, of the world's trees; null: bodies that meet no others
/// @throws InputError for another backend or integrator, surfaces of other trees, or options out of range
template <class T>
QUARTIC_EXPORT void let_collide(World<T>& world, std::vector<std::shared_ptr<const CollisionSurface>> surfaces,
                                const CollisionOptions& options = {});

/// Points in other bodies at the end of the last substep, and those with a force then, in the order of `pair_contacts`
/// within an island, and of islands by their lowest ids. Empty without `let_collide`. Valid until the next step.
template <class T>
[[nodiscard]] QUARTIC_EXPORT std::span<const BodyContact> body_contacts(const World<T>& world);

/// Of the last substep.
struct CollisionReport {
  std::int64_t islands = 0, bodies = 0;  ///< with points near each other, and how many bodies are in them
  std::int64_t largest_island = 0;       ///< bodies
  std::int64_t contacts = 0;             ///< of `body_contacts`
  std::int64_t unsettled_islands = 0;    ///< whose impulses still changed by more than the tolerance
};
template <class T>
[[nodiscard]] QUARTIC_EXPORT CollisionReport collision_report(const World<T>& world);

}  // namespace quartic
