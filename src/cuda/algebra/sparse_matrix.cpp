#include "cuda/algebra/sparse_matrix.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "cuda/algebra/sparse_product.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cuda {
namespace {

// The blocks on the host, nine values each without gaps.
struct BlockRows {
  std::vector<std::int32_t> row_offsets = {0}, columns;
  std::vector<std::array<double, 9>> values;
};

// Block row after block row, the columns of its three rows merged.
BlockRows to_blocks(const SparseMatrix& matrix) {
  BlockRows blocks;
  const auto column = [&](std::int32_t n) { return matrix.columns[static_cast<std::size_t>(n)]; };
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); row += 3) {
    std::array<std::int32_t, 3> at = {}, end = {};
    for (std::size_t c = 0; c < 3; ++c) at[c] = matrix.row_offsets[row + c], end[c] = matrix.row_offsets[row + c + 1];
    for (;;) {
      constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
      std::int32_t next = none;
      for (std::size_t c = 0; c < 3; ++c)
        if (at[c] < end[c]) next = std::min(next, column(at[c]) / 3);
      if (next == none) break;
      blocks.columns.push_back(next);
      auto& block = blocks.values.emplace_back();
      for (std::size_t c = 0; c < 3; ++c)
        for (; at[c] < end[c] && column(at[c]) / 3 == next; ++at[c])
          block[3 * c + static_cast<std::size_t>(column(at[c]) % 3)] = matrix.values[static_cast<std::size_t>(at[c])];
    }
    blocks.row_offsets.push_back(static_cast<std::int32_t>(blocks.columns.size()));
  }
  return blocks;
}

bool is_isotropic(const std::array<double, 9>& block) {
  const std::array<double, 9> expected = {block[0], 0, 0, 0, block[0], 0, 0, 0, block[0]};
  return block == expected;
}

std::vector<double> device_values(const BlockRows& blocks) {
  std::vector<double> values;
  if (std::all_of(blocks.values.begin(), blocks.values.end(), is_isotropic)) {
    values.reserve(blocks.values.size());
    for (const auto& block : blocks.values) values.push_back(block[0]);
    return values;
  }
  values.resize(blocks.values.size() * block_stride);
  for (std::size_t n = 0; n < blocks.values.size(); ++n)
    std::copy(blocks.values[n].begin(), blocks.values[n].end(),
              values.begin() + static_cast<std::ptrdiff_t>(n * block_stride));
  return values;
}

}  // namespace

DeviceSparseMatrix::DeviceSparseMatrix(const SparseMatrix& matrix, cudaStream_t stream) {
  if (matrix.rows != matrix.cols || matrix.rows % 3 != 0)
    throw InputError("a matrix on the device must be square with three rows per vertex; this one's shape is " +
                     std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols));
  const BlockRows blocks = to_blocks(matrix);
  pattern_ = std::make_shared<const DevicePattern>(
      DevicePattern{DeviceArray<std::int32_t>(std::span<const std::int32_t>(blocks.row_offsets), stream),
                    DeviceArray<std::int32_t>(std::span<const std::int32_t>(blocks.columns), stream)});
  const std::vector<double> values = device_values(blocks);
  values_ = DeviceArray<double>(std::span<const double>(values), stream);
}

DeviceSparseMatrix::DeviceSparseMatrix(std::shared_ptr<const DevicePattern> pattern, DeviceArray<double> values)
    : pattern_(std::move(pattern)), values_(std::move(values)) {}

SparseView DeviceSparseMatrix::view() const {
  return {.block_rows = pattern_->row_offsets.size() - 1,
          .row_offsets = pattern_->row_offsets.data(),
          .columns = pattern_->columns.data(),
          .values = values_.data(),
          .isotropic = values_.size() == pattern_->columns.size()};
}

// Full blocks. A mass matrix stores the diagonals of its blocks alone, and is isotropic.
std::size_t DeviceSparseMatrix::estimated_bytes(const SparseMatrix& matrix) {
  constexpr std::size_t block_bytes = block_stride * sizeof(double) + sizeof(std::int32_t);
  return static_cast<std::size_t>(matrix.nonzeros()) / 9 * block_bytes +
         static_cast<std::size_t>(matrix.rows) / 3 * sizeof(std::int32_t);
}

void multiply(const SparseView& a, const DeviceMatrix& x, DeviceMatrix& y, cudaStream_t stream) {
  if (x.cols() == 0) return;
  const int lanes = lanes_for(x.cols());
  const DeviceArray<double> interleaved(x.rows() * lanes, stream);
  for (std::int64_t first = 0; first < x.cols(); first += lanes) {
    const auto columns = static_cast<int>(std::min<std::int64_t>(lanes, x.cols() - first));
    interleave_columns(x.col(first), x.rows(), columns, lanes, interleaved.data(), stream);
    multiply_interleaved(a, interleaved.data(), columns, lanes, y.col(first), stream);
  }
}

std::size_t product_bytes(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * lanes_for(columns)) * sizeof(double);
}

}  // namespace quartic::cuda
