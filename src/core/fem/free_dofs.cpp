#include "core/fem/free_dofs.hpp"

#include <string>

#include "quartic/error.hpp"

namespace quartic {

std::vector<std::int32_t> find_free_dofs(std::int64_t dofs, std::span<const std::int32_t> fixed_vertices) {
  std::vector<bool> fixed(static_cast<std::size_t>(dofs / 3));
  for (const auto v : fixed_vertices) {
    if (v < 0 || v >= dofs / 3)
      throw InputError("fixed vertex " + std::to_string(v) + " is outside 0 .. " + std::to_string(dofs / 3 - 1));
    fixed[static_cast<std::size_t>(v)] = true;
  }
  std::vector<std::int32_t> free_dofs;
  for (std::int64_t dof = 0; dof < dofs; ++dof)
    if (!fixed[static_cast<std::size_t>(dof / 3)]) free_dofs.push_back(static_cast<std::int32_t>(dof));
  if (free_dofs.empty()) throw InputError("every vertex is fixed: nothing can move");
  return free_dofs;
}

Eigen::MatrixXd restrict_to_free(MatrixRef whole, std::span<const std::int32_t> free_dofs) {
  Eigen::MatrixXd free(std::ssize(free_dofs), whole.cols());
  for (Eigen::Index j = 0; j < whole.cols(); ++j)
    for (Eigen::Index i = 0; i < free.rows(); ++i) free(i, j) = whole(free_dofs[static_cast<std::size_t>(i)], j);
  return free;
}

FreeMatrix::FreeMatrix(const SparseMatrix& whole, const std::vector<std::int32_t>& free_dofs) {
  std::vector<std::int32_t> new_index(static_cast<std::size_t>(whole.rows), -1);
  for (std::size_t i = 0; i < free_dofs.size(); ++i)
    new_index[static_cast<std::size_t>(free_dofs[i])] = static_cast<std::int32_t>(i);
  matrix.rows = matrix.cols = std::ssize(free_dofs);
  matrix.row_offsets.reserve(free_dofs.size() + 1);
  matrix.row_offsets.push_back(0);
  matrix.columns.reserve(whole.columns.size());
  source.reserve(whole.columns.size());
  for (const auto row : free_dofs) {
    const auto begin = whole.row_offsets[static_cast<std::size_t>(row)];
    const auto end = whole.row_offsets[static_cast<std::size_t>(row) + 1];
    for (auto entry = begin; entry < end; ++entry) {
      const auto column = new_index[static_cast<std::size_t>(whole.columns[static_cast<std::size_t>(entry)])];
      if (column < 0) continue;
      matrix.columns.push_back(column);
      source.push_back(entry);
    }
    matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  matrix.values.resize(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) matrix.values[i] = whole.values[static_cast<std::size_t>(source[i])];
}

}  // namespace quartic
