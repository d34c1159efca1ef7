// Fields = Q R with M-orthonormal Q on the device.
#pragma once

#include <Eigen/Core>

#include "cuda/elastic_system.hpp"

namespace quartic::cuda {

/// Gram-Schmidt in the mass inner product as the CPU does it (core/mass_orthogonalization.hpp): in panels of columns,
/// each twice; columns that earlier ones span to round-off add nothing to Q. Products with whole panels are matrix
/// products, those inside a panel go column by column, with one wait for the host per column.
class MassQrOnDevice {
 public:
  explicit MassQrOnDevice(CudaElasticSystem& system);

  /// Q takes the place of the first columns of `fields`, (free dofs, N). @return R, (rank of Q, N)
  [[nodiscard]] Eigen::MatrixXd factorize(DeviceMatrix& fields);

 private:
  using Columns = ColumnsView<double>;
  [[nodiscard]] Columns columns(const DeviceMatrix& matrix, std::int64_t first = 0) const {
    return {matrix.col(first), rows_};
  }
  void multiply_mass(const DeviceMatrix& x, DeviceMatrix& mass_x);
  void project(Columns q, int rank, const double* coefficients, Columns x, int count);
  [[nodiscard]] Eigen::MatrixXd remove_projection(const DeviceMatrix& q, int rank, DeviceMatrix& panel, int passes);
  [[nodiscard]] Eigen::VectorXd norms(const DeviceMatrix& x);
  [[nodiscard]] Eigen::MatrixXd orthonormalize(DeviceMatrix& panel, const Eigen::VectorXd& shortest);
  [[nodiscard]] double orthogonalize_column(std::int64_t column, std::int64_t kept, Eigen::VectorXd& coefficients);

  CudaElasticSystem& system_;
  int rows_;
  DeviceMatrix x_, mass_x_;        // the panel that is worked on, and M times it
  DeviceMatrix kept_, mass_kept_;  // its orthonormal columns so far
  DeviceArray<double> small_;      // coefficients
};

}  // namespace quartic::cuda
