// Eigen's matrices to and from the device.
#pragma once

#include "cuda/base/device_matrix.hpp"
#include "quartic/matrix.hpp"

namespace quartic::cuda {

/// A copy without gaps between columns, complete on return.
[[nodiscard]] inline DeviceMatrix to_device(const MatrixRef& matrix, cudaStream_t stream) {
  DeviceMatrix copy(matrix.rows(), matrix.cols(), stream);
  if (copy.size() == 0) return copy;
  const auto column = static_cast<std::size_t>(matrix.rows()) * sizeof(double);
  check(cudaMemcpy2DAsync(copy.data(), column, matrix.data(),
                          static_cast<std::size_t>(matrix.outerStride()) * sizeof(double), column,
                          static_cast<std::size_t>(matrix.cols()), cudaMemcpyHostToDevice, stream),
        "copy to the device");
  check(cudaStreamSynchronize(stream), "copy to the device");
  return copy;
}

}  // namespace quartic::cuda
