// What is done to blocks of columns besides products: sums, scalings, columns' products, rows in another order.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/base/device_matrix.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Y += X diag(c), with c on the device, shape (columns).
void add_scaled(DeviceMatrix& y, const DeviceMatrix& x, const double* c, cudaStream_t stream);

/// Y = Y diag(c) + X.
void scale_and_add(DeviceMatrix& y, const double* c, const DeviceMatrix& x, cudaStream_t stream);

/// Rows whose products are summed on the device; sums of these are added on the host, in order.
constexpr std::int64_t segment_rows = 8192;

/// Diagonal of X^T Y by segments of rows: sums[column][segment], which takes columns * ceil(rows / segment_rows)
/// values.
void sum_products(const DeviceMatrix& x, const DeviceMatrix& y, double* sums, cudaStream_t stream);

/// Columns on the device, one after the other.
struct ConstColumns {
  const double* data;
  std::int64_t rows, cols;
};

/// to(i, j) = from(order[i], j), for all columns.
void gather_rows(const ConstColumns& from, const std::int32_t* order, double* to, cudaStream_t stream);

/// to(order[i], j) = from(i, j).
void scatter_rows(const ConstColumns& from, const std::int32_t* order, double* to, cudaStream_t stream);

}  // namespace quartic::cuda
