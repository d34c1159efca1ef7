// A free body from its moments, term by term, and its motion by the classical Runge-Kutta method: what steps are
// compared with.
#pragma once

#include <Eigen/Core>

#include "quartic/energy.hpp"
#include "quartic/frame_moments.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"

namespace quartic::test {

struct FreeState {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::VectorXd q;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();  // body axes
  Eigen::VectorXd rate;                            // q'
};

struct FreeRates {
  Eigen::Vector3d acceleration, spin_rate;  // v' in world axes, w' in body axes
  Eigen::VectorXd second;                   // q''
};

/// x^ y = x cross y.
[[nodiscard]] Eigen::Matrix3d hat(const Eigen::Vector3d& x);
/// Of a quaternion x y z w.
[[nodiscard]] Eigen::Matrix3d rotation_of(const Eigen::Vector4d& quaternion);

class FreeBody {
 public:
  /// @param force a constant one on q; empty: none
  FreeBody(FrameMoments moments, QuarticEnergy energy, Eigen::VectorXd force = {});

  [[nodiscard]] int rank() const { return moments_.rank(); }
  [[nodiscard]] Eigen::Matrix3d inertia(const Eigen::VectorXd& q) const;                    // J
  [[nodiscard]] Eigen::Matrix3d inertia_derivative(const Eigen::VectorXd& q, int i) const;  // D_i
  [[nodiscard]] Eigen::MatrixXd axial(const Eigen::VectorXd& q) const;                      // B, shape (3, r)
  [[nodiscard]] Eigen::VectorXd centrifugal(const Eigen::VectorXd& q, const Eigen::Vector3d& w) const;  // 1/2 w^T D w
  [[nodiscard]] double energy(const FreeState& state) const;             // kinetic and elastic
  [[nodiscard]] Eigen::Vector3d momentum(const FreeState& state) const;  // L about the mass centre, world axes
  [[nodiscard]] FreeRates rates(const FreeState& state) const;
  /// By `steps` steps of RK4.
  [[nodiscard]] FreeState moved(FreeState state, double time, int steps) const;

 private:
  [[nodiscard]] Eigen::Matrix3d second_moment(int i, int j) const;

  FrameMoments moments_;
  QuarticEnergy energy_;
  Eigen::VectorXd force_;
};

/// A block of 1 x 0.6 x 0.3 m and 180 kg, 4 x 3 x 2 bricks, in one region or two halves of one material.
[[nodiscard]] ProceduralMesh sample_block(double youngs_modulus, bool two_regions);

/// Its model, with nothing held.
[[nodiscard]] ReducedModel free_block(double youngs_modulus, int modes, int rank, bool region_parts = false);

}  // namespace quartic::test
