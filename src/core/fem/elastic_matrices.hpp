// K and M of a body, wherever they are.
#pragma once

#include <Eigen/Core>

#include "quartic/factorization.hpp"
#include "quartic/matrix.hpp"

namespace quartic {

struct MatrixSizes {
  double norm = 0;  ///< largest absolute row sum
  double trace = 0;
};

/// K and M on the free degrees of freedom of a body: the host's (host_matrices.hpp), or assembled on a device, where
/// they stay (device_matrices.hpp).
class ElasticMatrices {
 public:
  ElasticMatrices() = default;
  ElasticMatrices(const ElasticMatrices&) = delete;
  ElasticMatrices& operator=(const ElasticMatrices&) = delete;
  virtual ~ElasticMatrices() = default;

  /// On the host. Of matrices on a device these are copies, fetched at the first call.
  [[nodiscard]] virtual const SparseMatrix& mass() const = 0;  ///< of all vertices, (3n, 3n)
  [[nodiscard]] virtual const SparseMatrix& stiffness_free() const = 0;
  [[nodiscard]] virtual const SparseMatrix& mass_free() const = 0;
  [[nodiscard]] virtual SparseMatrix scalar_mass() const = 0;  ///< one direction of `mass`, (n, n)

  /// Each in a fixed order of summation.
  [[nodiscard]] virtual MatrixSizes stiffness_sizes() const = 0;
  [[nodiscard]] virtual MatrixSizes mass_sizes() const = 0;
  /// Products with a few columns, (free degrees of freedom, m), from and to the host.
  [[nodiscard]] virtual Eigen::MatrixXd stiffness_times(const Eigen::MatrixXd& x) const = 0;
  [[nodiscard]] virtual Eigen::MatrixXd mass_times(const Eigen::MatrixXd& x) const = 0;
  /// Rigid motions of all vertices, (3n, m), made M-orthonormal, on the free degrees of freedom.
  [[nodiscard]] virtual Eigen::MatrixXd orthonormal_motions(Eigen::MatrixXd motions) const = 0;
  /// U^T M times the unit fields along x, y and z, shape (r, 3). @param basis U, shape (3n, r)
  [[nodiscard]] virtual Matrix unit_acceleration(const Matrix& basis) const = 0;
  /// The factor of K + shift M on the options' backend. @throws as Factorization's constructor
  [[nodiscard]] virtual Factorization factorize(double shift, const FactorizationOptions& options) const = 0;
};

}  // namespace quartic
