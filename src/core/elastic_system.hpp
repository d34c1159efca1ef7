// Inside of ElasticSystem: the matrices on the free degrees of freedom and the factor.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/device_system.hpp"
#include "quartic/modes.hpp"

namespace quartic {

struct ElasticSystem::Impl {
  SparseMatrix mass;                    // whole, (3n, 3n)
  std::vector<std::int32_t> free_dofs;  // ascending
  SparseMatrix stiffness_free;
  SparseMatrix mass_free;
  Eigen::MatrixXd rigid;       // Z on the free dofs, M-orthonormal
  Eigen::MatrixXd mass_rigid;  // M Z
  double shift = 0;            // of the factor of K + shift M
  double stiffness_norm = 0;   // |K|, largest absolute row sum
  double mass_norm = 0;
  std::optional<Factorization> factor;
  std::unique_ptr<DeviceSystem> device;  // on the backend cuda; uses the factor

  [[nodiscard]] std::int64_t free_count() const { return static_cast<std::int64_t>(free_dofs.size()); }
  /// x <- (I - Z Z^T M) x: takes the rigid motions out of displacements.
  void project_displacements(Eigen::Ref<Eigen::MatrixXd> x) const;
  /// f <- (I - M Z Z^T) f: takes out of forces what would move the body rigidly.
  void project_forces(Eigen::Ref<Eigen::MatrixXd> f) const;
  /// Overwrites forces by K^-1 f (in the complement of the rigid motions, for which f is projected first).
  void solve_static(Eigen::Ref<Eigen::MatrixXd> f) const;
  /// Rows of a (3n, m) matrix on the free dofs, and back (zeros on fixed ones).
  [[nodiscard]] Eigen::MatrixXd restrict_to_free(MatrixRef whole) const;
  void scatter_from_free(MatrixRef free, Eigen::Ref<Eigen::MatrixXd> whole) const;
};

/// Y = A X for a sparse A in compressed rows and a few columns, on all threads, each row summed in order.
[[nodiscard]] Eigen::MatrixXd sparse_times(const SparseMatrix& a, MatrixRef x);

}  // namespace quartic
