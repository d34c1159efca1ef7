// A dense column-major matrix of doubles on the device.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "cuda/base/cublas.hpp"
#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Columns lie one after the other without gaps, so that whole columns are a matrix, too. Freed in the order of the
/// stream it was made in, which must outlive it.
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  /// Not initialised.
  DeviceMatrix(std::int64_t rows, std::int64_t cols, cudaStream_t stream)
      : values_(rows * cols, stream), rows_(rows), cols_(cols) {}
  /// A copy of host values, complete on return.
  DeviceMatrix(std::int64_t rows, std::int64_t cols, std::span<const double> values, cudaStream_t stream)
      : values_(values, stream), rows_(rows), cols_(cols) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] std::int64_t size() const { return rows_ * cols_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeof(double); }
  [[nodiscard]] double* data() const { return values_.data(); }
  [[nodiscard]] double* col(std::int64_t j) const { return values_.data() + j * rows_; }
  /// As cuBLAS takes it; rows must fit an int.
  [[nodiscard]] ColumnsView<double> view() const { return {data(), static_cast<int>(rows_)}; }
  [[nodiscard]] ColumnsView<const double> const_view() const { return {data(), static_cast<int>(rows_)}; }

  /// Copies from the host, complete on return.
  void copy_from(std::span<const double> values, cudaStream_t stream) { values_.copy_from(values, stream); }
  /// Copies to the host, complete on return.
  void copy_to(std::span<double> values, cudaStream_t stream) const {
    if (values.empty()) return;
    check(cudaMemcpyAsync(values.data(), data(), values.size_bytes(), cudaMemcpyDeviceToHost, stream),
          "copy to the host");
    check(cudaStreamSynchronize(stream), "copy to the host");
  }
  void fill_zero(cudaStream_t stream) { values_.fill_zero(stream); }

 private:
  DeviceArray<double> values_;
  std::int64_t rows_ = 0, cols_ = 0;
};

}  // namespace quartic::cuda
