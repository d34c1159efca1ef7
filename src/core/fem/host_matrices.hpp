// K and M of a body in the host's memory.
#pragma once

#include <Eigen/Core>

#include "core/fem/elastic_matrices.hpp"
#include "core/supports/freedom_map.hpp"

namespace quartic {

class HostMatrices final : public ElasticMatrices {
 public:
  /// @param stiffness, mass of all vertices, (3n, 3n)
  HostMatrices(const SparseMatrix& stiffness, SparseMatrix mass, const FreedomMap& map);

  [[nodiscard]] const SparseMatrix& mass() const override { return mass_; }
  [[nodiscard]] const SparseMatrix& stiffness_free() const override { return stiffness_free_; }
  [[nodiscard]] const SparseMatrix& mass_free() const override { return mass_free_; }
  [[nodiscard]] SparseMatrix scalar_mass() const override;
  [[nodiscard]] MatrixSizes stiffness_sizes() const override;
  [[nodiscard]] MatrixSizes mass_sizes() const override;
  [[nodiscard]] Eigen::MatrixXd stiffness_times(const Eigen::MatrixXd& x) const override;
  [[nodiscard]] Eigen::MatrixXd mass_times(const Eigen::MatrixXd& x) const override;
  [[nodiscard]] Eigen::MatrixXd orthonormal_motions(Eigen::MatrixXd motions) const override;
  [[nodiscard]] Matrix unit_acceleration(const Matrix& basis) const override;
  [[nodiscard]] Factorization factorize(double shift, const FactorizationOptions& options) const override;

 private:
  SparseMatrix mass_, stiffness_free_, mass_free_;
  FreedomMap map_;
};

}  // namespace quartic
