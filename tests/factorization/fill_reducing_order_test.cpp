// Matrices in another order, and the entries of their factors, against Eigen's.
#include "cuda/factorization/fill_reducing_order.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>

namespace quartic::cuda {
namespace {

using Eigen::MatrixXd;

// Couplings of a ring of vertices with some chords, as full blocks, positive definite.
MatrixXd coupled_vertices(int vertices, int width) {
  MatrixXd a = MatrixXd::Zero(width * vertices, width * vertices);
  const auto couple = [&](int v, int w) {
    a.block(width * v, width * w, width, width).setConstant(-1);
    a.block(width * w, width * v, width, width).setConstant(-1);
  };
  for (int v = 0; v < vertices; ++v) couple(v, (v + 1) % vertices);
  for (int v = 0; v + 7 < vertices; v += 5) couple(v, v + 7);
  for (int v = 0; v < vertices; ++v)
    a.block(width * v, width * v, width, width) = MatrixXd::Ones(width, width) + 100 * MatrixXd::Identity(width, width);
  return a;
}

SparseMatrix sparse(const MatrixXd& dense) {
  return to_sparse_matrix(Eigen::SparseMatrix<double, Eigen::RowMajor>(dense.sparseView()));
}

std::vector<std::int32_t> shuffled(std::int32_t count) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  for (std::int32_t n = 0; n < count; ++n) order[static_cast<std::size_t>(n)] = (n * 7 + 3) % count;
  return order;
}

TEST(FillReducingOrder, PutsRowsAndColumnsIntoTheOrder) {
  const MatrixXd dense = coupled_vertices(20, 3);
  const SparseMatrix a = sparse(dense);
  const CouplingGraph graph = coupling_graph(a);
  ASSERT_EQ(graph.rows_per_vertex, 3);
  ASSERT_EQ(graph.vertex_count(), 20);
  const std::vector<std::int32_t> order = row_order(graph, shuffled(20));
  const ReorderedMatrix reordered(a, order);
  SparseMatrix b = a;
  b.row_offsets = reordered.row_offsets;
  b.columns = reordered.columns;
  b.values = reordered.values(a);
  EXPECT_EQ(MatrixXd(b.map()), dense(order, order));
  for (std::int64_t row = 0; row < b.rows; ++row)
    EXPECT_TRUE(std::is_sorted(b.columns.begin() + b.row_offsets[static_cast<std::size_t>(row)],
                               b.columns.begin() + b.row_offsets[static_cast<std::size_t>(row) + 1]));
}

TEST(FillReducingOrder, CountsTheFactorsEntriesAsEigenDoes) {
  for (const int width : {1, 3}) {
    const int vertices = width == 1 ? 40 : 20;  // 40 rows aren't three per vertex
    const MatrixXd dense = coupled_vertices(vertices, width);
    const CouplingGraph graph = coupling_graph(sparse(dense));
    ASSERT_EQ(graph.rows_per_vertex, width);
    std::vector<std::int32_t> natural(static_cast<std::size_t>(vertices));
    std::iota(natural.begin(), natural.end(), 0);
    for (const std::vector<std::int32_t>& order : {natural, shuffled(vertices)}) {
      const std::vector<std::int32_t> rows = row_order(graph, order);
      const Eigen::SparseMatrix<double> permuted = MatrixXd(dense(rows, rows)).sparseView();
      const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(
          permuted);
      EXPECT_EQ(factor_entries(graph, order), factor.matrixL().nestedExpression().nonZeros());
    }
  }
}

TEST(FillReducingOrder, OfADenseMatrixIsFull) {
  const CouplingGraph graph = coupling_graph(sparse(MatrixXd::Ones(12, 12)));
  EXPECT_EQ(factor_entries(graph, shuffled(4)), 12 * 13 / 2);
}

}  // namespace
}  // namespace quartic::cuda
