// Streams and memory of callers without CUDA's headers.
#pragma once

#include "core/device/device_operations.hpp"

namespace quartic::cuda {

extern const StreamOperations stream_operations;

}  // namespace quartic::cuda
