// Sparse times a few dense columns. Four columns share one pass over the row's entries.
#include "core/algebra/sparse_product.hpp"

#include <algorithm>

#include "core/base/thread_pool.hpp"

namespace quartic {
namespace {

template <int Width>
void multiply_rows(const SparseMatrix& a, const double* x, std::int64_t x_stride, double* y, std::int64_t y_stride,
                   std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    double sum[Width] = {};
    const auto last = a.row_offsets[static_cast<std::size_t>(row) + 1];
    for (auto entry = a.row_offsets[static_cast<std::size_t>(row)]; entry < last; ++entry) {
      const double value = a.values[static_cast<std::size_t>(entry)];
      const double* column = x + a.columns[static_cast<std::size_t>(entry)];
      for (int w = 0; w < Width; ++w) sum[w] += value * column[w * x_stride];
    }
    for (int w = 0; w < Width; ++w) y[row + w * y_stride] = sum[w];
  }
}

}  // namespace

Eigen::MatrixXd sparse_times(const SparseMatrix& a, MatrixRef x) {
  Eigen::MatrixXd y(a.rows, x.cols());
  constexpr std::int64_t rows_per_task = 4096;
  const std::int64_t tasks = (a.rows + rows_per_task - 1) / rows_per_task;
  const std::int64_t y_stride = y.outerStride(), x_stride = x.outerStride();
  parallel_for(tasks, [&](std::int64_t task) {
    const std::int64_t begin = task * rows_per_task, end = std::min(a.rows, begin + rows_per_task);
    Eigen::Index column = 0;
    for (; column + 4 <= x.cols(); column += 4)
      multiply_rows<4>(a, x.data() + column * x_stride, x_stride, y.data() + column * y_stride, y_stride, begin, end);
    for (; column < x.cols(); ++column)
      multiply_rows<1>(a, x.data() + column * x_stride, x_stride, y.data() + column * y_stride, y_stride, begin, end);
  });
  return y;
}

}  // namespace quartic
