// Storage that crosses the library's boundary: plain vectors plus a shape, viewed through Eigen::Map.
//
// No Eigen object that owns memory crosses the compiled boundary, since its alignment depends on the
// compiler flags of whoever includes Eigen. Results are a `Matrix`; arguments are an `Eigen::Ref`, to which a
// `Matrix` converts by `.map()`.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

namespace quartic {

/// A dense column-major matrix that owns its values.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> values;  ///< shape (rows, cols), column-major

  Matrix() = default;
  /// A matrix of zeros.
  Matrix(std::int64_t row_count, std::int64_t col_count)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>(row_count * col_count)) {}

  [[nodiscard]] double& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
  [[nodiscard]] double operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
  [[nodiscard]] std::span<double> col(std::int64_t j) {
    return {values.data() + j * rows, static_cast<std::size_t>(rows)};
  }
  [[nodiscard]] std::span<const double> col(std::int64_t j) const {
    return {values.data() + j * rows, static_cast<std::size_t>(rows)};
  }
  /// Without the copy: the same memory seen as an Eigen matrix; valid while this object lives unchanged.
  [[nodiscard]] auto map() { return Eigen::Map<Eigen::MatrixXd>(values.data(), rows, cols); }
  [[nodiscard]] auto map() const { return Eigen::Map<const Eigen::MatrixXd>(values.data(), rows, cols); }
};

/// Makes a `Matrix` from any Eigen expression.
template <class Derived>
[[nodiscard]] Matrix to_matrix(const Eigen::DenseBase<Derived>& expression) {
  Matrix result(expression.rows(), expression.cols());
  result.map() = expression;
  return result;
}

/// A sparse matrix in compressed rows: row i has the entries `row_offsets[i] .. row_offsets[i+1]`, columns
/// ascending. Symmetric matrices store both triangles.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row_offsets;  ///< shape (rows + 1)
  std::vector<std::int32_t> columns;      ///< shape (nonzeros), 0-based
  std::vector<double> values;             ///< shape (nonzeros)

  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(columns.size()); }
  using EigenMap = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>>;
  /// The same memory seen as an Eigen sparse matrix; valid while this object lives unchanged.
  [[nodiscard]] EigenMap map() const {
    return EigenMap(rows, cols, nonzeros(), row_offsets.data(), columns.data(), values.data());
  }
};

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
