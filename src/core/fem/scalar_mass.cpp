#include "core/fem/scalar_mass.hpp"

#include <algorithm>
#include <limits>

#include "quartic/error.hpp"

namespace quartic {
namespace {

SparseMatrix square_matrix(std::int64_t vertices, std::int64_t entries) {
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw InputError("the mesh is too large: its mass matrix has more entries than 32-bit indices can count");
  SparseMatrix matrix;
  matrix.rows = matrix.cols = vertices;
  matrix.row_offsets.reserve(static_cast<std::size_t>(vertices) + 1);
  matrix.row_offsets.push_back(0);
  matrix.columns.reserve(static_cast<std::size_t>(entries));
  matrix.values.reserve(static_cast<std::size_t>(entries));
  return matrix;
}

void end_row(SparseMatrix& matrix) {
  matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
}

}  // namespace

SparseMatrix scalar_mass(const SparseMatrix& mass) {
  SparseMatrix matrix = square_matrix(mass.rows / 3, mass.nonzeros() / 3);
  for (std::size_t row = 0; row < static_cast<std::size_t>(mass.rows); row += 3) {
    for (auto entry = static_cast<std::size_t>(mass.row_offsets[row]);
         entry < static_cast<std::size_t>(mass.row_offsets[row + 1]); ++entry) {
      matrix.columns.push_back(mass.columns[entry] / 3);
      matrix.values.push_back(mass.values[entry]);
    }
    end_row(matrix);
  }
  return matrix;
}

SparseMatrix scalar_mass(const VertexGraph& graph, std::span<const double> values) {
  const auto vertices = std::ssize(graph.offsets) - 1;
  SparseMatrix matrix = square_matrix(vertices, std::ssize(values));
  for (std::int64_t v = 0; v < vertices; ++v) {
    const auto neighbours = graph.row(v);
    matrix.columns.insert(matrix.columns.end(), neighbours.begin(), neighbours.end());
    end_row(matrix);
  }
  matrix.values.assign(values.begin(), values.end());
  return matrix;
}

SparseMatrix scalar_mass(std::span<const double> vertex_values) {
  SparseMatrix matrix = square_matrix(std::ssize(vertex_values), std::ssize(vertex_values));
  for (std::size_t v = 0; v < vertex_values.size(); ++v) {
    matrix.columns.push_back(static_cast<std::int32_t>(v));
    end_row(matrix);
  }
  matrix.values.assign(vertex_values.begin(), vertex_values.end());
  return matrix;
}

}  // namespace quartic
