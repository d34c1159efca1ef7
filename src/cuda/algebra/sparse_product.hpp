// Kernels of the product of a sparse matrix with a few dense columns.
#pragma once

#include "cuda/algebra/sparse_matrix.hpp"

namespace quartic::cuda {

/// Columns that one pass over the matrix serves, at most.
constexpr int most_lanes = 32;

/// Columns that a pass over the matrix works on side by side for so many wanted ones: 8, 16 or 32.
[[nodiscard]] constexpr int lanes_for(std::int64_t columns) {
  return columns <= 8 ? 8 : columns <= 16 ? 16 : most_lanes;
}

/// The columns of X (rows, columns) side by side, [row][lanes], filled up with zeros.
void interleave_columns(const double* x, std::int64_t rows, int columns, int lanes, double* interleaved,
                        cudaStream_t stream);

/// Y (3 block_rows, columns) = A X for interleaved columns.
void multiply_interleaved(const SparseView& a, const double* interleaved, int columns, int lanes, double* y,
                          cudaStream_t stream);

}  // namespace quartic::cuda
