// A warp per row of blocks, a lane per block: what a row writes lies side by side. 84 bytes read and 108 written per
// block, once per factor. Sizes: a thread per row of blocks, then CUB's tree, in one order; no atomics.
#include <cub/block/block_reduce.cuh>

#include "cuda/fem/expand_blocks.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;
constexpr int warp = 32;

LaunchShape warp_per_row(std::int64_t rows) {
  constexpr int per_block = threads / warp;
  return {dim3(static_cast<unsigned>((rows + per_block - 1) / per_block)), dim3(threads)};
}

// What is added to the diagonal of block n of a row.
__device__ double shifted_mass(const ShiftedBlocks& a, std::int64_t vertex, std::int64_t source, bool diagonal) {
  if (a.masses == nullptr) return 0;
  if (!a.lumped) return a.shift * a.masses[source];
  return diagonal ? a.shift * a.masses[vertex] : 0;
}

__global__ void __launch_bounds__(threads)
    expand_whole(const BlockPattern pattern, const ShiftedBlocks a, const ScalarRows out) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  if (row >= pattern.block_rows) return;
  const std::int32_t begin = pattern.row_offsets[row], end = pattern.row_offsets[row + 1], width = 3 * (end - begin);
  const std::int64_t vertex = pattern.vertices != nullptr ? pattern.vertices[row] : row;
  if (lane < 3) out.row_offsets[3 * row + lane] = 9 * begin + lane * width;
  if (lane == 3 && row == pattern.block_rows - 1) out.row_offsets[3 * row + 3] = 9 * end;
  for (std::int32_t n = begin + lane; n < end; n += warp) {
    const std::int32_t column = pattern.columns[n], source = pattern.sources != nullptr ? pattern.sources[n] : n;
    const double mass = shifted_mass(a, vertex, source, column == row);
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 3; ++d) {
        const std::int64_t at = std::int64_t{9} * begin + c * width + 3 * (n - begin) + d;
        out.columns[at] = 3 * column + d;
        out.values[at] = a.stiffness[std::int64_t{block_stride} * source + 3 * c + d] + (c == d ? mass : 0);
      }
  }
}

__global__ void __launch_bounds__(threads) expand_triangle(const BlockPattern pattern, const std::int32_t* above,
                                                           const ShiftedBlocks a, const ScalarRows out) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  if (row >= pattern.block_rows) return;
  const std::int32_t right = above[row + 1] - above[row];
  const std::int32_t end = pattern.row_offsets[row + 1], diagonal = end - 1 - right;
  const std::int64_t start = std::int64_t{9} * above[row] + 6 * row;
  // The rows of a block row begin one number later each: c of them are below the diagonal.
  const std::int64_t starts[3] = {start, start + 3 * right + 3, start + 6 * right + 5};
  if (lane < 3) out.row_offsets[3 * row + lane] = static_cast<std::int32_t>(starts[lane]);
  if (lane == 3 && row == pattern.block_rows - 1)
    out.row_offsets[3 * row + 3] = static_cast<std::int32_t>(start + 9 * right + 6);
  for (std::int32_t n = diagonal + lane; n < end; n += warp) {
    const double mass = shifted_mass(a, row, n, n == diagonal);
    for (int c = 0; c < 3; ++c)
      for (int d = n == diagonal ? c : 0; d < 3; ++d) {
        const std::int64_t at = starts[c] + 3 * (n - diagonal) + d - c;
        out.columns[at] = 3 * pattern.columns[n] + d;
        out.values[at] = a.stiffness[std::int64_t{block_stride} * n + 3 * c + d] + (c == d ? mass : 0);
      }
  }
}

// Of one row of blocks: the sum of its diagonal, and the largest absolute sum of its three rows.
__device__ void measure_row(const SparseView& a, std::int64_t row, double& diagonal, double& norm) {
  double sums[3] = {0, 0, 0};
  for (std::int32_t n = a.row_offsets[row]; n < a.row_offsets[row + 1]; ++n)
    if (a.isotropic) {
      sums[0] += fabs(a.values[n]);
      if (a.columns[n] == row) diagonal = 3 * a.values[n];
    } else {
      const double* block = a.values + std::int64_t{block_stride} * n;
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d) sums[c] += fabs(block[3 * c + d]);
      if (a.columns[n] == row) diagonal = block[0] + block[4] + block[8];
    }
  norm = fmax(sums[0], fmax(sums[1], sums[2]));
}

__global__ void __launch_bounds__(measured_rows) measure(const SparseView a, double* parts) {
  const std::int64_t row = std::int64_t{blockIdx.x} * measured_rows + threadIdx.x;
  double diagonal = 0, norm = 0;
  if (row < a.block_rows) measure_row(a, row, diagonal, norm);
  using BlockReduce = cub::BlockReduce<double, measured_rows>;
  __shared__ typename BlockReduce::TempStorage of_diagonals, of_norms;
  diagonal = BlockReduce(of_diagonals).Sum(diagonal);
  norm = BlockReduce(of_norms).Reduce(norm, [](double a, double b) { return fmax(a, b); });
  if (threadIdx.x == 0) {
    parts[std::int64_t{2} * blockIdx.x] = diagonal;
    parts[std::int64_t{2} * blockIdx.x + 1] = norm;
  }
}

}  // namespace

void expand_all(const BlockPattern& pattern, const ShiftedBlocks& blocks, const ScalarRows& rows, cudaStream_t stream) {
  launch(expand_whole, warp_per_row(pattern.block_rows), stream, pattern, blocks, rows);
}

void expand_upper(const BlockPattern& pattern, const std::int32_t* above, const ShiftedBlocks& blocks,
                  const ScalarRows& rows, cudaStream_t stream) {
  launch(expand_triangle, warp_per_row(pattern.block_rows), stream, pattern, above, blocks, rows);
}

void measure_rows(const SparseView& a, double* parts, cudaStream_t stream) {
  const auto count = static_cast<unsigned>((a.block_rows + measured_rows - 1) / measured_rows);
  launch(measure, {dim3(count), dim3(measured_rows)}, stream, a, parts);
}

}  // namespace quartic::cuda
