// Bodies that fall on, slide along and are pushed by shapes whose motion is known.
//
// A point whose gap d is below 0 is pushed out along the shape's normal n, and held back by friction:
//   f = f_n n - mu f_n g(|v_t|) v_t / |v_t|        f_n = k A (-d) max(0, 1 - c d')
// with the stiffness k per area, the point's share A of the surface at rest, the dissipation c (Hunt & Crossley 1975),
// Coulomb's coefficient mu, and the velocity v_t along the surface, relative to the shape's. g rises smoothly from 0 to
// 1 at v_eps, g(v) = 2 v / v_eps - (v / v_eps)^2 (Li et al. 2020): bodies that stick creep at less than v_eps. Forces
// are those at the end of a step, implicitly: stiff contacts need no small steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/contact.hpp"
#include "quartic/export.hpp"

namespace quartic {

struct ContactOptions {
  double stiffness = 1e7;  ///< k [Pa/m] > 0: a body of weight w and base A sinks in by w / (k A)
  double dissipation = 0;  ///< c [s/m] >= 0: a ball that falls with v bounces at (1 - 2/3 c v) v, for small c v
  double friction = 0.5;   ///< mu >= 0
  double friction_velocity = 1e-3;  ///< v_eps [m/s] > 0
  int iterations = 40;  ///< of Newton's method, at most, on the CPU ten times as many where friction needs them; >= 1
  /// Of what is left of the equations, relative to their terms, > 0 and < 1. Where an iteration no longer halves what
  /// is left, as round-off has it, 1e3 times as much is enough, but no more than 1e-6.
  double tolerance = 1e-9;
};

/// Moves a collider by its twist: to where it is after a time [s].
[[nodiscard]] QUARTIC_EXPORT Collider moved(const Collider& collider, double time);
/// Gives a collider the twist by which it is at a pose after a time [s] > 0: position and rotation at even speed, the
/// short way round. For animated colliders, before each step.
/// @throws InputError unless time > 0, and for poses that aren't finite or have a zero quaternion
[[nodiscard]] QUARTIC_EXPORT Collider moving_to(const Collider& collider, const std::array<double, 7>& pose,
                                                double time);

template <class T>
class DeviceWorld;
template <class T>
class BodyCollisions;

/// A batch and the shapes that its bodies meet; T = float or double. Bodies meet each other once `let_collide`
/// (quartic/collision.hpp) has told them to. A batch on a GPU has
/// all stages of a step there (quartic/cuda/world.hpp).
///
/// In each step, bodies that have contact points near a shape are stepped one by one with their contacts, in double,
/// until Newton's method has converged, whatever `newton_iterations` says; all others as the batch steps them, to the
/// bit. Near is what the body and the shape come to with twice their speeds, the body's accelerations in the last step
/// and those by its loads: elastic forces that a step itself brings up may carry a point farther, and then it is pushed
/// out from the next step on. A body's bits don't depend on other bodies, or on the number of threads.
///
/// Free bodies' linear and angular momentum change by the impulses of the forces that are read out, to round-off.
/// Newmark takes the mean of the contact forces at both ends of a step, without the damping that stiff contacts need to
/// come to rest: take backward Euler for those. The energy-conserving scheme takes the discrete gradient of the
/// contacts' potential (Gonzalez 1996): without friction and dissipation energy is constant, with the k A d^2 / 2 of
/// each contact.
///
/// Only points are tested, at the ends of steps: what moves farther in one than a shape is thick may go through it. A
/// body gets the flag `too_fast` if a point near a shape has moved along the shape's normal by more than its gap and
/// the shape's depth: the radius of a ball or capsule, half a box's smallest side, the deepest place of a lattice, a
/// mesh's volume over its surface. Planes have no other side.
template <class T>
class QUARTIC_EXPORT World {
 public:
  /// @param trees of the batch's groups in their order, of the models' ranks; null: bodies that touch nothing
  /// @throws InputError for central differences, a group with a tree whose motion is prescribed or whose forces come
  /// from a strain form, or that has a gas, a constant damping or driven coordinates; on a GPU, for the
  /// energy-conserving scheme, chambers, or a rank above about 130; for trees that don't fit or, as free bodies'
  /// moments of mass tell, are of another model, or options out of range
  World(Batch<T> batch, std::vector<std::shared_ptr<const BoundTree>> trees, const ContactOptions& options = {});
  /// The same of a batch that others use, too, between steps.
  World(std::shared_ptr<Batch<T>> batch, std::vector<std::shared_ptr<const BoundTree>> trees,
        const ContactOptions& options = {});
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  /// Its state, loads and parameters are free to be changed between steps; its own `step` knows no contacts.
  [[nodiscard]] Batch<T>& batch();
  [[nodiscard]] const Batch<T>& batch() const;
  [[nodiscard]] const ContactOptions& options() const;
  /// Free to be changed between steps. Each step moves them by their twists, which stay as they are.
  [[nodiscard]] std::vector<Collider>& colliders();
  [[nodiscard]] const std::vector<Collider>& colliders() const;

  /// As `Batch::step`, with contacts. A body whose equations weren't solved to the tolerance gets the flag
  /// `not_converged`, one whose new state isn't finite diverges.
  /// @throws InputError as Batch::step, for a collider whose pose or twist isn't finite, or if `batch` has been given
  /// other groups or bodies than the world was made for; nothing is changed then
  void step(double dt, int substeps = 1);

  /// Points that were in a shape at the end of the last substep, in the order of bodies (of the batch), shapes and
  /// points, with their forces then, or by the energy-conserving scheme the substep's mean ones, also of points that
  /// came out in it. Valid until the next step.
  [[nodiscard]] std::span<const Contact> contacts() const;
  /// The sum of each body's contact forces then [N], and their torque [N m] about the mass centre, or about the mesh's
  /// origin without a frame; world axes, shape (B, 6).
  [[nodiscard]] std::span<const double> contact_wrench() const;
  /// The impulses [N s] of all contacts in the last call of `step`, and their sum about the world's origin [N m s]:
  /// what momenta about it have changed by besides other loads; shape (B, 6). Zero for bodies without a frame.
  [[nodiscard]] std::span<const double> contact_impulse() const;

  /// Internal to quartic; null on the CPU.
  [[nodiscard]] DeviceWorld<T>* device_world();
  /// Internal to quartic; null where bodies don't meet each other.
  [[nodiscard]] BodyCollisions<T>* collisions() const;
  void set_collisions(std::unique_ptr<BodyCollisions<T>> collisions);
  [[nodiscard]] std::span<const std::shared_ptr<const BoundTree>> bound_trees() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quartic
