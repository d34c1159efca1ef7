// A body on a base that moves by formula: its motion by the classical Runge-Kutta method, and its whole mesh, which
// steps and base forces are compared with.
#pragma once

#include <Eigen/Core>

#include "quartic/batch.hpp"
#include "quartic/model.hpp"
#include "quartic/storage.hpp"
#include "support/free_body.hpp"

namespace quartic::test {

/// Of the base at one time.
struct BaseMotion {
  Eigen::Vector3d position, velocity, acceleration;  // world axes
  Eigen::Matrix3d rotation;
  Eigen::Vector3d spin, spin_rate;  // w, w' in the base's axes
};

/// Shaken along three axes and turned about two, R = Rz(a) Rx(b) with angles that swing.
[[nodiscard]] BaseMotion shaken(double time);

/// The quaternion x y z w of shaken().rotation.
[[nodiscard]] Eigen::Vector4d shaken_quaternion(double time);

/// A block of 1 x 0.6 x 0.3 m and 180 kg, held at one end, 4 x 3 x 2 bricks.
[[nodiscard]] ReducedModel held_block(double youngs_modulus, int modes, int rank, bool region_parts = false);

/// Gives a body's base its motion at a time, with gravity.
template <class T>
void set_base(Batch<T>& batch, std::int64_t body, double time, const Eigen::Vector3d& gravity) {
  const BaseMotion m = shaken(time);
  const Eigen::Vector4d quaternion = shaken_quaternion(time);
  for (int c = 0; c < 3; ++c) {
    batch.pose()(c, body) = static_cast<T>(m.position[c]);
    batch.twist()(c, body) = static_cast<T>(m.velocity[c]);
    batch.twist()(3 + c, body) = static_cast<T>(m.spin[c]);
    batch.twist_rate()(c, body) = static_cast<T>(m.acceleration[c] - gravity[c]);
    batch.twist_rate()(3 + c, body) = static_cast<T>(m.spin_rate[c]);
  }
  for (int c = 0; c < 4; ++c) batch.pose()(3 + c, body) = static_cast<T>(quaternion[c]);
}

/// Sums over all vertices of a mesh, for the model's fields in a moving frame.
class MeshOnBase {
 public:
  MeshOnBase(const ReducedModel& model, const Eigen::Vector3d& origin);

  /// m times the points' accelerations less gravity, in the base's axes, shape (3, n).
  [[nodiscard]] Eigen::Matrix3Xd inertia_forces(const BaseMotion& base, const Eigen::Vector3d& gravity,
                                                const Eigen::VectorXd& q, const Eigen::VectorXd& rate,
                                                const Eigen::VectorXd& second) const;
  [[nodiscard]] Eigen::Matrix3Xd points(const Eigen::VectorXd& q) const;  // y
  /// U^T f.
  [[nodiscard]] Eigen::VectorXd project(const Eigen::Matrix3Xd& forces) const;

 private:
  [[nodiscard]] Eigen::Matrix3Xd field(const Eigen::VectorXd& q) const;

  Eigen::MatrixXd basis_;
  Eigen::Matrix3Xd rest_;
  SparseMatrix mass_;
};

/// q'' by the moments, term by term.
[[nodiscard]] Eigen::VectorXd acceleration_on(const FrameMoments& moments, const QuarticEnergy& energy,
                                              const BaseMotion& base, const Eigen::Vector3d& gravity,
                                              const Eigen::VectorXd& q, const Eigen::VectorXd& rate);

/// q and q' at `time` by `steps` steps of RK4, from those at 0.
[[nodiscard]] FreeState moved_on_base(const FrameMoments& moments, const QuarticEnergy& energy,
                                      const Eigen::Vector3d& gravity, FreeState state, double time, int steps);

}  // namespace quartic::test
