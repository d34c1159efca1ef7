// A thread per value, each value read and written once: as fast as the memory. Sums of products: a block of threads per
// column and segment of rows, each thread 32 of them in order, then CUB's tree, which is the same each time; no
// atomics.
#include <cub/block/block_reduce.cuh>

#include "cuda/algebra/block_algebra.hpp"

namespace quartic::cuda {
namespace {

constexpr int threads = 256;

// Threads along rows, blocks in y along columns.
dim3 grid_for(std::int64_t rows, std::int64_t cols) {
  return {static_cast<unsigned>((rows + threads - 1) / threads), static_cast<unsigned>(cols)};
}

/// @param scale_y whether c is the factor of Y or of X
template <bool scale_y>
__global__ void __launch_bounds__(threads) scaled_sum(double* y, const double* x, const double* c, std::int64_t rows) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t at = std::int64_t{blockIdx.y} * rows + row;
  const double factor = c[blockIdx.y];
  y[at] = scale_y ? fma(factor, y[at], x[at]) : fma(factor, x[at], y[at]);
}

__global__ void __launch_bounds__(threads)
    segment_products(const double* x, const double* y, std::int64_t rows, double* sums) {
  using BlockSum = cub::BlockReduce<double, threads>;
  __shared__ typename BlockSum::TempStorage storage;
  const std::int64_t first = std::int64_t{blockIdx.x} * segment_rows;
  const std::int64_t last = first + segment_rows < rows ? first + segment_rows : rows;
  x += std::int64_t{blockIdx.y} * rows;
  y += std::int64_t{blockIdx.y} * rows;
  double sum = 0;
  for (std::int64_t row = first + threadIdx.x; row < last; row += threads) sum = fma(x[row], y[row], sum);
  sum = BlockSum(storage).Sum(sum);
  if (threadIdx.x == 0) sums[std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = sum;
}

template <bool gather>
__global__ void __launch_bounds__(threads)
    permute(const double* from, const std::int32_t* order, std::int64_t rows, double* to) {
  const std::int64_t row = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t column = std::int64_t{blockIdx.y} * rows, other = order[row];
  if (gather)
    to[column + row] = from[column + other];
  else
    to[column + other] = from[column + row];
}

}  // namespace

void add_scaled(DeviceMatrix& y, const DeviceMatrix& x, const double* c, cudaStream_t stream) {
  if (x.size() > 0)
    launch(scaled_sum<false>, {grid_for(x.rows(), x.cols()), dim3(threads)}, stream, y.data(), x.data(), c, x.rows());
}

void scale_and_add(DeviceMatrix& y, const double* c, const DeviceMatrix& x, cudaStream_t stream) {
  if (x.size() > 0)
    launch(scaled_sum<true>, {grid_for(x.rows(), x.cols()), dim3(threads)}, stream, y.data(), x.data(), c, x.rows());
}

void sum_products(const DeviceMatrix& x, const DeviceMatrix& y, double* sums, cudaStream_t stream) {
  if (x.size() == 0) return;
  const dim3 grid(static_cast<unsigned>((x.rows() + segment_rows - 1) / segment_rows), static_cast<unsigned>(x.cols()));
  launch(segment_products, {grid, dim3(threads)}, stream, x.data(), y.data(), x.rows(), sums);
}

void gather_rows(const ConstColumns& from, const std::int32_t* order, double* to, cudaStream_t stream) {
  if (from.rows * from.cols > 0)
    launch(permute<true>, {grid_for(from.rows, from.cols), dim3(threads)}, stream, from.data, order, from.rows, to);
}

void scatter_rows(const ConstColumns& from, const std::int32_t* order, double* to, cudaStream_t stream) {
  if (from.rows * from.cols > 0)
    launch(permute<false>, {grid_for(from.rows, from.cols), dim3(threads)}, stream, from.data, order, from.rows, to);
}

}  // namespace quartic::cuda
