// What a CUDA device can do: the rates that ours are compared with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace quartic::measure {

/// Starts independent multiply-adds on all multiprocessors; `cycles` gets the multiprocessors' cycles. @return their
/// number
template <class T>
std::int64_t start_multiply_adds(T* result, long long* cycles, int multiprocessors, cudaStream_t stream);

/// The same by matrix instructions of tensor cores: on bfloat16 for float, on double for double.
template <class T>
std::int64_t start_tensor_multiply_adds(T* result, long long* cycles, int multiprocessors, cudaStream_t stream);

/// Values that `result` must have room for.
[[nodiscard]] std::int64_t multiply_add_results(int multiprocessors);

}  // namespace quartic::measure
