// Whether bodies are in their model's range: see quartic/range.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/base/runtime.hpp"
#include "quartic/range.hpp"

namespace quartic::cuda {

/// A model's range in device memory; none if the range is.
template <class T>
struct DeviceRange {
  DeviceArray<T> gradients;  // shape (points, r, 9)
  int rank = 0;
  std::int64_t points = 0;

  DeviceRange(const ModelRange& range, cudaStream_t stream);
  [[nodiscard]] static std::size_t bytes(const ModelRange& range) { return range.gradients.size() * sizeof(T); }
};

/// Looks at `bodies` bodies of one model: the arrays begin at the first one.
/// @param q shape (r, pitch)
/// @param now gets the flags of this state, which are added to `flags`
template <class T>
void check_range(const DeviceRange<T>& range, const T* q, std::int64_t pitch, std::int64_t bodies, std::uint32_t* now,
                 std::uint32_t* flags, cudaStream_t stream);

}  // namespace quartic::cuda
