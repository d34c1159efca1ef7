// Matrices of 3 x 3 blocks as sparse solvers want them, in compressed rows of numbers, and their sizes.
#pragma once

#include <cstdint>

#include "cuda/algebra/sparse_matrix.hpp"

namespace quartic::cuda {

/// Blocks of K + shift M. M has K's pattern, or is diagonal.
struct ShiftedBlocks {
  const double* stiffness;  // [block][10]
  const double* masses;     // [block], or [block row] if lumped; null: no M
  bool lumped;
  double shift;
};

/// Block rows, in any order: row a has the blocks `row_offsets[a] .. row_offsets[a + 1]`, columns ascending.
struct BlockPattern {
  std::int64_t block_rows;
  const std::int32_t* row_offsets;
  const std::int32_t* columns;
  const std::int32_t* sources;   // for each block its place among the ShiftedBlocks; null: the same
  const std::int32_t* vertices;  // for each row its row there; null: the same
};

/// Where compressed rows go.
struct ScalarRows {
  std::int32_t* row_offsets;  // [3 block_rows + 1]
  std::int32_t* columns;
  double* values;
};

/// All nine numbers of each block.
void expand_all(const BlockPattern& pattern, const ShiftedBlocks& blocks, const ScalarRows& rows, cudaStream_t stream);

/// Those on and above the matrix' diagonal; every diagonal block must be there. @param above blocks behind the diagonal
/// in the rows before, [block_rows + 1]
void expand_upper(const BlockPattern& pattern, const std::int32_t* above, const ShiftedBlocks& blocks,
                  const ScalarRows& rows, cudaStream_t stream);

/// Rows whose sizes are put together on the device; the host does the rest, in order.
constexpr int measured_rows = 256;

/// For each `measured_rows` block rows the sum of their diagonal and the largest absolute row sum, [part][2].
void measure_rows(const SparseView& a, double* parts, cudaStream_t stream);

}  // namespace quartic::cuda
