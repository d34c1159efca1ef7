// Streams and memory of callers without CUDA's headers.
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/device_operations.hpp"

namespace quartic::cuda {

/// The stream that a caller without CUDA's headers names.
[[nodiscard]] inline cudaStream_t of(void* stream) {
  return static_cast<cudaStream_t>(stream);
}

extern const StreamOperations stream_operations;

}  // namespace quartic::cuda
