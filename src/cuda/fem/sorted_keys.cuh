// Sorting by CUB, with its workspace from the stream's memory, and where ranges of keys begin among sorted ones.
#pragma once

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "cuda/base/runtime.hpp"

namespace quartic::cuda {

/// Calls one of CUB's functions, which is a call for the size of its workspace and then one with it.
template <class Call>
void with_workspace(const char* what, cudaStream_t stream, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), what);
  const DeviceMemory workspace(bytes, stream);
  check(call(workspace.data(), bytes), what);
}

/// Bits of the numbers below `count`.
[[nodiscard]] constexpr int bits_below(std::int64_t count) {
  int bits = 1;
  while (std::int64_t{1} << bits < count) ++bits;
  return bits;
}

/// The first of `count` ascending keys that isn't below `key`.
template <class Key>
[[nodiscard]] __device__ std::int64_t lower_bound(const Key* keys, std::int64_t count, Key key) {
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace quartic::cuda
