// A chamber's volume and its gradient in the order in which the kernels of gases read them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "quartic/enclosed_volume.hpp"

namespace quartic::cuda {

[[nodiscard]] __host__ __device__ constexpr std::int64_t volume_image_size(int rank) {
  return std::int64_t{rank + 1} * (rank + 2) / 2 * (rank + 3) / 3;
}
[[nodiscard]] __host__ __device__ constexpr std::int64_t gradient_row_size(int rank) {
  return std::int64_t{rank + 1} * (rank + 2) / 2;
}

/// c_abc, a <= b <= c in 0..rank, lexicographic, with V = sum of c_abc q^_a q^_b q^_c: in double, since the volume's
/// change is small beside it.
[[nodiscard]] std::vector<double> volume_images(const std::vector<EnclosedVolume>& volumes);

/// g_ibc, i = 1..rank, then pairs b <= c in 0..rank, with dV/dq_i = sum of g_ibc q^_b q^_c.
/// @throws InputError for a volume that T can't hold
template <class T>
[[nodiscard]] std::vector<T> gradient_images(const std::vector<EnclosedVolume>& volumes);

}  // namespace quartic::cuda
