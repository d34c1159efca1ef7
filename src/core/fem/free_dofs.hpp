// Degrees of freedom that no fixed vertex takes away, and matrices on them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/matrix.hpp"

namespace quartic {

/// The free ones of `dofs` = 3n, ascending. @throws InputError for a vertex out of range, or if nothing is free
[[nodiscard]] std::vector<std::int32_t> find_free_dofs(std::int64_t dofs, std::span<const std::int32_t> fixed_vertices);

/// Rows of a (3n, m) matrix on the free degrees of freedom.
[[nodiscard]] Eigen::MatrixXd restrict_to_free(MatrixRef whole, std::span<const std::int32_t> free_dofs);

/// Rows and columns of a matrix on the free degrees of freedom, and where their entries come from.
struct FreeMatrix {
  FreeMatrix(const SparseMatrix& whole, const std::vector<std::int32_t>& free_dofs);

  SparseMatrix matrix;
  std::vector<std::int32_t> source;  ///< for each entry its place in the whole matrix
};

}  // namespace quartic
