// A sparse matrix on the device, in compressed rows of 3 x 3 blocks: three rows and columns per vertex.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/base/device_matrix.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic {
struct SparseMatrix;
}

namespace quartic::cuda {

/// What kernels see of one. Block row a has the blocks `row_offsets[a] .. row_offsets[a + 1]`, columns ascending.
struct SparseView {
  std::int64_t block_rows;
  const std::int32_t* row_offsets;  // (block_rows + 1)
  const std::int32_t* columns;      // (blocks), of blocks
  const double* values;             // (blocks, 10), each row by row with one double unused; (blocks) if isotropic
  bool isotropic;                   // each block is a number times the identity, as in a mass matrix
};

/// Values of a block in memory: nine and one unused, so that a block is five aligned loads of 16 bytes.
constexpr int block_stride = 10;

/// Where a matrix has blocks; several may share it.
struct DevicePattern {
  DeviceArray<std::int32_t> row_offsets, columns;
};

class DeviceSparseMatrix {
 public:
  /// Copies a square matrix of three rows per vertex, complete on return. Blocks need not be full: what isn't stored is
  /// zero.
  DeviceSparseMatrix(const SparseMatrix& matrix, cudaStream_t stream);
  /// Takes blocks that are on the device already, laid out as SparseView says.
  DeviceSparseMatrix(std::shared_ptr<const DevicePattern> pattern, DeviceArray<double> values);

  [[nodiscard]] std::int64_t rows() const { return 3 * (pattern_->row_offsets.size() - 1); }
  [[nodiscard]] SparseView view() const;
  [[nodiscard]] std::size_t bytes() const {
    return pattern_->row_offsets.bytes() + pattern_->columns.bytes() + values_.bytes();
  }
  /// What a copy of the matrix takes where blocks are full, more than that where they are isotropic.
  [[nodiscard]] static std::size_t estimated_bytes(const SparseMatrix& matrix);

 private:
  std::shared_ptr<const DevicePattern> pattern_;
  DeviceArray<double> values_;
};

/// Y = A X. Each entry is summed along its row in order, however many columns there are. Takes `product_bytes` of
/// device memory meanwhile.
void multiply(const SparseView& a, const DeviceMatrix& x, DeviceMatrix& y, cudaStream_t stream);
[[nodiscard]] std::size_t product_bytes(std::int64_t rows, std::int64_t columns);

}  // namespace quartic::cuda
