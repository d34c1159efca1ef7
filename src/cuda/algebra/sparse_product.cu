// Y = A X for a matrix A of 3 x 3 blocks and m <= 32 columns.
//
// X is brought into rows first, its columns side by side, so that what a block needs of X is contiguous: 24 m bytes in
// whole sectors, where columns apart would take every sector twice. Then 8, 16 or 32 lanes share a block row, a lane
// per column; a block's nine values are the same for all of them. Results go through shared memory, so that columns of
// Y are written in runs of 24 to 96 rows.
//
// Bytes from memory: 84 per block (12 if isotropic) and 32 m per row of X and Y; from the caches 24 m per block. Flops:
// 18 m per block (6 m). Each sum runs along its row in order, whatever the number of columns: no atomics.
#include "cuda/algebra/sparse_product.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;
constexpr int tile_rows = 32;

unsigned blocks_for(std::int64_t work, int per_block) {
  return static_cast<unsigned>((work + per_block - 1) / per_block);
}

template <int lanes>
__global__ void __launch_bounds__(threads)
    interleave(const double* x, std::int64_t rows, int columns, double* interleaved) {
  __shared__ double tile[lanes][tile_rows + 1];
  const std::int64_t first = std::int64_t{blockIdx.x} * tile_rows;
  for (int n = static_cast<int>(threadIdx.x); n < lanes * tile_rows; n += threads) {
    const int column = n / tile_rows, row = n % tile_rows;
    tile[column][row] = column < columns && first + row < rows ? x[column * rows + first + row] : 0;
  }
  __syncthreads();
  for (int n = static_cast<int>(threadIdx.x); n < lanes * tile_rows; n += threads) {
    const int row = n / lanes, column = n % lanes;
    if (first + row < rows) interleaved[(first + row) * lanes + column] = tile[column][row];
  }
}

// What a lane sums: three rows of one column.
struct RowSums {
  double x = 0, y = 0, z = 0;

  __device__ void add_scaled(double a, double u, double v, double w) {
    x = fma(a, u, x), y = fma(a, v, y), z = fma(a, w, z);
  }
  __device__ void add_block(const double2* block, double u, double v, double w) {
    const double2 a = block[0], b = block[1], c = block[2], d = block[3];
    const double e = block[4].x;
    x = fma(b.x, w, fma(a.y, v, fma(a.x, u, x)));
    y = fma(c.y, w, fma(c.x, v, fma(b.y, u, y)));
    z = fma(e, w, fma(d.y, v, fma(d.x, u, z)));
  }
};

template <int lanes, bool isotropic>
__global__ void __launch_bounds__(threads)
    multiply_rows(const SparseView a, const double* interleaved, int columns, double* y) {
  constexpr int groups = threads / lanes, height = 3 * groups;
  __shared__ double tile[lanes][height + 1];
  const int group = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t row = std::int64_t{blockIdx.x} * groups + group;
  RowSums sums;
  if (row < a.block_rows) {
    const std::int32_t last = a.row_offsets[row + 1];
#pragma unroll 2
    for (std::int32_t n = a.row_offsets[row]; n < last; ++n) {
      const double* x = interleaved + std::int64_t{3 * lanes} * a.columns[n] + lane;
      if constexpr (isotropic)
        sums.add_scaled(a.values[n], x[0], x[lanes], x[2 * lanes]);
      else
        sums.add_block(reinterpret_cast<const double2*>(a.values + std::int64_t{block_stride} * n), x[0], x[lanes],
                       x[2 * lanes]);
    }
  }
  tile[lane][3 * group] = sums.x;
  tile[lane][3 * group + 1] = sums.y;
  tile[lane][3 * group + 2] = sums.z;
  __syncthreads();
  const std::int64_t first = std::int64_t{blockIdx.x} * height, rows = 3 * a.block_rows;
  for (int n = static_cast<int>(threadIdx.x); n < height * columns; n += threads) {
    const int column = n / height, in_tile = n % height;
    if (first + in_tile < rows) y[column * rows + first + in_tile] = tile[column][in_tile];
  }
}

template <int lanes>
void multiply_lanes(const SparseView& a, const double* interleaved, int columns, double* y, cudaStream_t stream) {
  launch(a.isotropic ? multiply_rows<lanes, true> : multiply_rows<lanes, false>,
         {dim3(blocks_for(a.block_rows, threads / lanes)), dim3(threads)}, stream, a, interleaved, columns, y);
}

}  // namespace

void interleave_columns(const double* x, std::int64_t rows, int columns, int lanes, double* interleaved,
                        cudaStream_t stream) {
  launch(lanes == 8    ? interleave<8>
         : lanes == 16 ? interleave<16>
                       : interleave<most_lanes>,
         {dim3(blocks_for(rows, tile_rows)), dim3(threads)}, stream, x, rows, columns, interleaved);
}

void multiply_interleaved(const SparseView& a, const double* interleaved, int columns, int lanes, double* y,
                          cudaStream_t stream) {
  if (lanes == 8)
    multiply_lanes<8>(a, interleaved, columns, y, stream);
  else if (lanes == 16)
    multiply_lanes<16>(a, interleaved, columns, y, stream);
  else
    multiply_lanes<most_lanes>(a, interleaved, columns, y, stream);
}

}  // namespace quartic::cuda
