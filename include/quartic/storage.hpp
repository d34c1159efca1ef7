// Storage that crosses the library's boundary: plain vectors plus a shape. To compute with it, include
// quartic/matrix.hpp, which defines `map()`, the same memory seen by Eigen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace Eigen {  // what SparseMatrix::map() returns, declared as in Eigen
template <class Plain, int options, class Stride>
class Map;
template <class Scalar, int options, class Index>
class SparseMatrix;
template <int outer, int inner>
class Stride;
}  // namespace Eigen

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
  /// The same memory as an Eigen matrix, without a copy; valid while this object exists unchanged. Needs
  /// quartic/matrix.hpp.
  [[nodiscard]] auto map();
  [[nodiscard]] auto map() const;
};

/// A sparse matrix in compressed rows: row i has the entries `row_offsets[i] .. row_offsets[i+1]`, columns
/// ascending. Symmetric matrices store both triangles.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row_offsets;  ///< shape (rows + 1)
  std::vector<std::int32_t> columns;      ///< shape (nonzeros), 0-based
  std::vector<double> values;             ///< shape (nonzeros)

  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(columns.size()); }
  using EigenMap = Eigen::Map<const Eigen::SparseMatrix<double, /*RowMajor*/ 1, std::int32_t>, 0, Eigen::Stride<0, 0>>;
  /// The same memory as an Eigen sparse matrix, without a copy; valid while this object exists unchanged. Needs
  /// quartic/matrix.hpp.
  [[nodiscard]] EigenMap map() const;
};

}  // namespace quartic
