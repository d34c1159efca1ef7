// Solutions of (K - lambda_i M) x = b, with lambda_i one of the lowest eigenvalues, by the factor that the modes use.
#pragma once

#include <Eigen/Core>
#include <span>

#include "core/modes/elastic_system.hpp"

namespace quartic {

/// In the span of the known modes the solution is a division per mode. In the M-orthogonal complement of these and of
/// the rigid modes, eigenvalues are above lambda_i, and the matrix is positive definite although as a whole it isn't:
/// conjugate gradients there, preconditioned by (K + shift M)^-1, need no factor of an indefinite matrix.
class InertialSolver {
 public:
  /// @param modes the lowest modes on the free degrees of freedom, M-orthonormal
  /// @throws InputError if they aren't modes of this system
  InertialSolver(const ElasticSystem::Impl& system, Eigen::MatrixXd modes);

  /// Overwrites each column b by the x with (K - lambda_i M) x = (I - M P P^T) b and P^T M x = 0, i = shifts[column],
  /// where P are the rigid modes and all known modes whose eigenvalue coincides with lambda_i.
  /// @throws NumericalError if an eigenvalue that isn't among the known modes' is below or at lambda_i
  void solve(Eigen::Ref<Eigen::MatrixXd> b, std::span<const int> shifts) const;

 private:
  [[nodiscard]] Eigen::MatrixXd solve_in_span(const Eigen::MatrixXd& products, const Eigen::ArrayXd& lambda) const;
  [[nodiscard]] Eigen::MatrixXd solve_in_complement(Eigen::MatrixXd f, const Eigen::ArrayXd& reference,
                                                    const Eigen::ArrayXd& lambda) const;
  void require_gap(const Eigen::MatrixXd& x, const Eigen::MatrixXd& f, const Eigen::ArrayXd& lambda) const;
  void project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const;
  void project_forces(Eigen::Ref<Eigen::MatrixXd> f) const;

  const ElasticSystem::Impl& system_;
  Eigen::MatrixXd modes_;
  Eigen::MatrixXd mass_modes_;
  Eigen::ArrayXd eigenvalues_;
};

}  // namespace quartic
