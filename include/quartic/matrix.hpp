// The library's matrices in Eigen's terms: `map()` of storage (quartic/storage.hpp), and the types of arguments.
//
// No Eigen object that owns memory crosses the compiled boundary, since its alignment depends on the
// compiler flags of whoever includes Eigen. Results are a `Matrix`; arguments are an `Eigen::Ref`, to which a
// `Matrix` converts by `.map()`.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <type_traits>

#include "quartic/storage.hpp"

namespace quartic {

[[nodiscard]] inline auto Matrix::map() {
  return Eigen::Map<Eigen::MatrixXd>(values.data(), rows, cols);
}
[[nodiscard]] inline auto Matrix::map() const {
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), rows, cols);
}
[[nodiscard]] inline SparseMatrix::EigenMap SparseMatrix::map() const {
  static_assert(std::is_same_v<EigenMap, Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>>>);
  return {rows, cols, nonzeros(), row_offsets.data(), columns.data(), values.data()};
}

/// Makes a `Matrix` from any Eigen expression.
template <class Derived>
[[nodiscard]] Matrix to_matrix(const Eigen::DenseBase<Derived>& expression) {
  Matrix result(expression.rows(), expression.cols());
  result.map() = expression;
  return result;
}

/// Makes a `SparseMatrix` from a compressed Eigen matrix of any storage order.
template <class EigenSparse>
[[nodiscard]] SparseMatrix to_sparse_matrix(const EigenSparse& matrix) {
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> rows(matrix);
  rows.makeCompressed();
  SparseMatrix result;
  result.rows = rows.rows();
  result.cols = rows.cols();
  result.row_offsets.assign(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1);
  result.columns.assign(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros());
  result.values.assign(rows.valuePtr(), rows.valuePtr() + rows.nonZeros());
  return result;
}

/// Read-only arguments of the library: any Eigen matrix or vector of doubles, or `Matrix::map()`.
using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;
using VectorRef = Eigen::Ref<const Eigen::VectorXd>;

}  // namespace quartic
