// The batch that the viewer steps, whatever its precision: what a session needs of `Batch`.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "quartic/batch.hpp"
#include "quartic/editing.hpp"
#include "quartic/embedding.hpp"
#include "quartic/matrix.hpp"

namespace quartic::view {

enum class Precision : std::uint8_t { single_precision, double_precision };

/// How a flying body moves as a whole: its mass centre's place [m] and its axes, the velocity of the one [m/s] and the
/// angular velocity of the others [rad/s], which is in these axes.
struct RigidMotion {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
};

/// A point of a body: where it is at rest, in the mesh's coordinates [m], and its rows of the basis, shape (3, r).
struct BodyPoint {
  Eigen::Vector3d rest;
  Eigen::MatrixXd rows;
};

class Bodies {
 public:
  virtual ~Bodies() = default;
  Bodies() = default;
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  [[nodiscard]] virtual std::int64_t count() const = 0;
  [[nodiscard]] virtual const BatchOptions& options() const = 0;
  [[nodiscard]] virtual double time() const = 0;

  /// Writes reduced coordinates. @param q shape (B, r), C order
  virtual void read_q(std::span<double> q) const = 0;
  /// @param q shape (r)
  virtual void read_q(std::int64_t body, std::span<double> q) const = 0;
  /// Puts a coordinate of a body somewhere, at rest there.
  virtual void place(std::int64_t body, std::int64_t mode, double value) = 0;
  /// Each body's force is the same times its scale. @param force shape (r) @param scales shape (B), empty: 1
  virtual void set_force(std::span<const double> force, std::span<const double> scales) = 0;
  virtual void add_force(std::int64_t body, std::span<const double> force) = 0;
  /// The velocity of q. @param velocity shape (r)
  virtual void read_velocity(std::int64_t body, std::span<double> velocity) const = 0;

  /// Whether bodies move as a whole; only then may the following be called.
  [[nodiscard]] virtual bool fly() const = 0;
  [[nodiscard]] virtual const FrameMoments& frame() const = 0;
  [[nodiscard]] virtual RigidMotion rigid_motion(std::int64_t body) const = 0;
  /// Lets all bodies start anew from there. @throws InputError for numbers that this precision can't hold
  virtual void set_rigid_motion(const RigidMotion& motion) = 0;
  /// Force on the mass centre of each body, times its scale, in place of its wrench. @param scales as in set_force
  virtual void set_weight(const Eigen::Vector3d& force, std::span<const double> scales) = 0;
  /// Adds forces in world axes on this point of the bodies that are named. @param forces whose vertex is 0
  virtual void add_point_forces(const BodyPoint& point, std::span<const VertexForce> forces) = 0;

  virtual void step(double length) = 0;
  /// All bodies at rest in their rest shape at time 0, with status ok and without flags.
  virtual void reset() = 0;
  /// @throws InputError for negative or infinite numbers
  virtual void set_damping(double mass, double stiffness) = 0;
  /// State, time, status and flags stay as they are.
  virtual void set_integrator(Integrator integrator) = 0;
  virtual void apply(const MaterialEdit& edit, const MaterialEdit* previous) = 0;

  [[nodiscard]] virtual double elastic_energy() const = 0;  ///< [J], of all bodies
  [[nodiscard]] virtual double kinetic_energy() const = 0;
  [[nodiscard]] virtual std::int64_t status_count(BodyStatus status) const = 0;
  [[nodiscard]] virtual std::span<const BodyFlags> flags() const = 0;
  /// As Batch::check_range.
  virtual std::span<const BodyFlags> check_range() = 0;
};

/// @param range that they are watched by; rank 0: they aren't
/// @param frame of bodies that fly
/// @throws InputError as `Batch`
[[nodiscard]] std::unique_ptr<Bodies> make_bodies(const ForceModel& forces, const ModelRange& range,
                                                  const std::optional<FrameMoments>& frame, const BatchOptions& options,
                                                  Precision precision);

}  // namespace quartic::view
