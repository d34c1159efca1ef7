// Matrices whose rows and columns are put into an order that keeps their factor sparse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic::cuda {

/// Which vertices of a symmetric matrix are coupled, in compressed rows, each vertex with itself, too. Where the matrix
/// hasn't three rows per vertex, each row stands for itself.
struct CouplingGraph {
  int rows_per_vertex;  // 3 or 1
  std::vector<std::int32_t> row_offsets, columns;

  [[nodiscard]] std::int32_t vertex_count() const { return static_cast<std::int32_t>(row_offsets.size()) - 1; }
};
[[nodiscard]] CouplingGraph coupling_graph(const SparseMatrix& matrix);

/// Rows in the order of their vertices: entry i is the row that becomes the i-th.
[[nodiscard]] std::vector<std::int32_t> row_order(const CouplingGraph& graph,
                                                  const std::vector<std::int32_t>& vertex_order);

/// B(i, j) = A(order[i], order[j]), in compressed rows with columns ascending.
struct ReorderedMatrix {
  /// Of a matrix or a graph, by its compressed rows.
  ReorderedMatrix(std::span<const std::int32_t> from_offsets, std::span<const std::int32_t> from_columns,
                  const std::vector<std::int32_t>& order);
  ReorderedMatrix(const SparseMatrix& matrix, const std::vector<std::int32_t>& order)
      : ReorderedMatrix(matrix.row_offsets, matrix.columns, order) {}
  /// B's values from A's.
  [[nodiscard]] std::vector<double> values(const SparseMatrix& matrix) const;

  std::vector<std::int32_t> row_offsets, columns;
  std::vector<std::int32_t> source;  ///< for each entry of B its place in A
};

/// Entries of the Cholesky factor of a matrix with this graph in this order, if what is coupled is never zero.
[[nodiscard]] std::int64_t factor_entries(const CouplingGraph& graph, const std::vector<std::int32_t>& vertex_order);

}  // namespace quartic::cuda
