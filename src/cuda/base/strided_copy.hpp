// Copies between views of any strides, on a device.
#pragma once

#include <cstdint>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Entry (mode, body) is `from[mode * from_mode + body * from_body]`, likewise in `to`. The two don't overlap.
template <class T>
void copy_strided(const T* from, std::int64_t from_mode, std::int64_t from_body, T* to, std::int64_t to_mode,
                  std::int64_t to_body, std::int64_t rank, std::int64_t bodies, cudaStream_t stream);

}  // namespace quartic::cuda
