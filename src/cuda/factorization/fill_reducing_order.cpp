#include "cuda/factorization/fill_reducing_order.hpp"

#include <algorithm>

namespace quartic::cuda {
namespace {

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

// Where each entry of the order is.
std::vector<std::int32_t> places(const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) place[index(order[n])] = static_cast<std::int32_t>(n);
  return place;
}

}  // namespace

CouplingGraph coupling_graph(const SparseMatrix& matrix) {
  CouplingGraph graph{.rows_per_vertex = matrix.rows % 3 == 0 ? 3 : 1, .row_offsets = {0}, .columns = {}};
  std::vector<std::int32_t> neighbours;
  for (std::int64_t row = 0; row < matrix.rows; row += graph.rows_per_vertex) {
    neighbours = {static_cast<std::int32_t>(row / graph.rows_per_vertex)};
    for (auto n = matrix.row_offsets[index(row)]; n < matrix.row_offsets[index(row + graph.rows_per_vertex)]; ++n)
      neighbours.push_back(matrix.columns[index(n)] / graph.rows_per_vertex);
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    graph.columns.insert(graph.columns.end(), neighbours.begin(), neighbours.end());
    graph.row_offsets.push_back(static_cast<std::int32_t>(graph.columns.size()));
  }
  return graph;
}

std::vector<std::int32_t> row_order(const CouplingGraph& graph, const std::vector<std::int32_t>& vertex_order) {
  std::vector<std::int32_t> order;
  order.reserve(vertex_order.size() * index(graph.rows_per_vertex));
  for (const std::int32_t vertex : vertex_order)
    for (int c = 0; c < graph.rows_per_vertex; ++c) order.push_back(graph.rows_per_vertex * vertex + c);
  return order;
}

ReorderedMatrix::ReorderedMatrix(std::span<const std::int32_t> from_offsets, std::span<const std::int32_t> from_columns,
                                 const std::vector<std::int32_t>& order) {
  const std::vector<std::int32_t> place = places(order);
  row_offsets.reserve(order.size() + 1);
  row_offsets.push_back(0);
  columns.resize(from_columns.size());
  source.resize(from_columns.size());
  for (const std::int32_t row : order) {
    const auto begin = from_offsets[index(row)], end = from_offsets[index(row) + 1];
    const auto first = source.begin() + row_offsets.back(), last = first + (end - begin);
    for (auto n = begin; n < end; ++n) first[n - begin] = n;
    std::sort(first, last, [&](std::int32_t a, std::int32_t b) {
      return place[index(from_columns[index(a)])] < place[index(from_columns[index(b)])];
    });
    std::transform(first, last, columns.begin() + row_offsets.back(),
                   [&](std::int32_t n) { return place[index(from_columns[index(n)])]; });
    row_offsets.push_back(row_offsets.back() + end - begin);
  }
}

std::vector<double> ReorderedMatrix::values(const SparseMatrix& matrix) const {
  std::vector<double> result(source.size());
  std::transform(source.begin(), source.end(), result.begin(), [&](std::int32_t n) { return matrix.values[index(n)]; });
  return result;
}

// Row i of the factor has the entries on the paths from the columns of row i of the matrix towards the root of the
// elimination tree (Liu 1990), which grows on the way: a vertex without a parent gets the first row that reaches it.
std::int64_t factor_entries(const CouplingGraph& graph, const std::vector<std::int32_t>& vertex_order) {
  const std::vector<std::int32_t> place = places(vertex_order);
  const std::int32_t count = graph.vertex_count();
  std::vector<std::int32_t> parent(index(count), count), visited(index(count), -1);
  std::int64_t couplings = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    visited[index(i)] = i;
    const auto vertex = index(vertex_order[index(i)]);
    for (auto n = graph.row_offsets[vertex]; n < graph.row_offsets[vertex + 1]; ++n)
      for (std::int32_t j = place[index(graph.columns[index(n)])]; j < i && visited[index(j)] != i;
           j = parent[index(j)]) {
        if (parent[index(j)] == count) parent[index(j)] = i;
        visited[index(j)] = i;
        ++couplings;
      }
  }
  const std::int64_t width = graph.rows_per_vertex;
  return couplings * width * width + count * width * (width + 1) / 2;
}

}  // namespace quartic::cuda
