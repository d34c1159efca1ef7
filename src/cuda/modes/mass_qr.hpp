// Fields and a panel of them on the device, for Gram-Schmidt in the mass inner product.
#pragma once

#include <Eigen/Core>

#include "core/algebra/mass_qr.hpp"
#include "cuda/modes/elastic_system.hpp"

namespace quartic::cuda {

/// What mass_qr_by_panels asks for. Products with whole panels are matrix products; inside a panel columns go one by
/// one, with a wait for the host each. Q grows in the front of the fields' memory.
class DevicePanels {
 public:
  /// @param fields (free degrees of freedom, N), must outlive this object
  DevicePanels(CudaElasticSystem& system, DeviceMatrix& fields);

  void load(Eigen::Index first, Eigen::Index width);
  [[nodiscard]] Eigen::VectorXd norms();
  [[nodiscard]] Eigen::MatrixXd remove_projection(Eigen::Index rank, int passes);
  [[nodiscard]] Eigen::MatrixXd orthonormalize(const Eigen::VectorXd& shortest);
  void store(Eigen::Index first);

 private:
  using Columns = ColumnsView<double>;
  [[nodiscard]] static Columns columns(const DeviceMatrix& matrix, std::int64_t first = 0) {
    return {matrix.col(first), static_cast<int>(matrix.rows())};
  }
  [[nodiscard]] DeviceMatrix mass_times(const DeviceMatrix& x) const;
  void subtract_product(Columns q, int rank, const double* coefficients, Columns x, int count);
  [[nodiscard]] double orthogonalize_column(std::int64_t column, std::int64_t kept, Eigen::VectorXd& coefficients);

  CudaElasticSystem& system_;
  DeviceMatrix& fields_;
  int rows_;
  DeviceMatrix panel_;
  DeviceMatrix x_, mass_x_;        // the columns that are worked on inside a panel, and M times them
  DeviceMatrix kept_, mass_kept_;  // the orthonormal ones so far
  DeviceArray<double> small_;      // coefficients
  DeviceArray<double> one_;
};

}  // namespace quartic::cuda
