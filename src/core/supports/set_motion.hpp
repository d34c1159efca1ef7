// How a set of displacements moves as a whole: a rigid motion, each number of which is a sum over them.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quartic/attachments.hpp"
#include "quartic/mesh.hpp"
#include "quartic/supports.hpp"

namespace quartic {

/// The rigid motion t + omega x (x - centre) of a set, linear in its displacements: that of the displacements that lead
/// where all of them move rigidly, or else the nearest to them by least squares with weights, the mean motion.
class SetMotion {
 public:
  /// @param dofs 3 vertex + axis, of vertices in range
  static SetMotion of_rigid(const VolumeMesh& mesh, std::span<const std::int32_t> dofs);
  /// @param weights of each displacement, above 0
  static SetMotion mean(const VolumeMesh& mesh, std::span<const std::int32_t> dofs, std::span<const double> weights);

  /// The displacement along a direction of a point that moves with the set; nothing if the set leaves it undetermined,
  /// as vertices on a line do that of a point beside it.
  [[nodiscard]] std::optional<std::vector<DisplacementTerm>> displacement(const std::array<double, 3>& point,
                                                                          const std::array<double, 3>& direction) const;
  /// The rotation about a direction [rad]; nothing if the set leaves it undetermined.
  [[nodiscard]] std::optional<std::vector<DisplacementTerm>> rotation(const std::array<double, 3>& direction) const;

  /// What makes displacements of the set move with it: for each that doesn't lead, an equation that it comes first in.
  [[nodiscard]] std::vector<Constraint> equations(const std::string& origin) const;

 private:
  SetMotion(const VolumeMesh& mesh, std::span<const std::int32_t> dofs);
  [[nodiscard]] std::optional<std::vector<DisplacementTerm>> terms(const Eigen::RowVectorXd& row) const;
  void solve(const Eigen::MatrixXd& rows);

  Eigen::Vector3d centre_;
  double radius_ = 1;
  std::vector<std::int32_t> members_;  // all displacements
  Eigen::MatrixXd rows_;               // their rigid motions, (members, 6): t and radius omega
  std::vector<std::int32_t> leaders_;  // displacements that the motion is a sum over
  Eigen::MatrixXd shares_;             // (6, leaders)
  Eigen::MatrixXd determined_;         // projects on the motions that leaders can tell, (6, 6)
};

/// All three displacements of each vertex.
[[nodiscard]] std::vector<std::int32_t> displacements_of(std::span<const std::int32_t> vertices);

/// The mean motion of vertices, each of which counts by its area where they make up boundary faces.
[[nodiscard]] SetMotion mean_motion(const VolumeMesh& mesh, std::span<const std::int32_t> vertices);

/// Point masses [kg] at places that together have the mass, the centre and the moments of inertia of a rigid body: one
/// for a body without moments, else four.
/// @throws InputError for numbers that aren't finite, or moments that no body of this mass has
[[nodiscard]] std::vector<std::pair<double, std::array<double, 3>>> equimomental_points(const RigidMass& body,
                                                                                        const std::string& origin);

}  // namespace quartic
