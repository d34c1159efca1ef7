#include "core/fem/unit_acceleration.hpp"

#include "core/algebra/blas.hpp"
#include "core/algebra/sparse_product.hpp"

namespace quartic {

Matrix unit_acceleration(const Matrix& basis, const SparseMatrix& mass) {
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(mass.rows, 3);
  for (Eigen::Index i = 0; i < unit.rows(); ++i) unit(i, i % 3) = 1;
  return to_matrix(blas::multiply_transposed(basis.map(), sparse_times(mass, unit)));
}

Matrix unit_acceleration(const Matrix& basis, std::span<const double> vertex_masses) {
  Matrix result(basis.cols, 3);
  for (std::int64_t j = 0; j < basis.cols; ++j) {
    const auto column = basis.col(j);
    for (std::size_t i = 0; i < column.size(); ++i)
      result.map()(j, static_cast<Eigen::Index>(i % 3)) += column[i] * vertex_masses[i / 3];
  }
  return result;
}

}  // namespace quartic
