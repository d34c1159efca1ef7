// The second derivatives of a chamber's volume in the order in which kernels read them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "quartic/enclosed_volume.hpp"

namespace quartic::cuda {

/// Rows and columns of a block of the stiffness.
inline constexpr int chamber_block = 4;

/// Values in front of the linear part: those of the blocks of the lower triangle.
[[nodiscard]] __host__ __device__ constexpr std::int64_t chamber_blocks_size(int rank) {
  const std::int64_t blocks = (rank + chamber_block - 1) / chamber_block;
  return blocks * (blocks + 1) / 2 * (rank + 1) * (chamber_block * chamber_block);
}
[[nodiscard]] __host__ __device__ constexpr std::int64_t chamber_image_size(int rank) {
  const std::int64_t blocks = (rank + chamber_block - 1) / chamber_block;
  return chamber_blocks_size(rank) + blocks * (rank + 1) * chamber_block;
}

/// What a pressure of 1 adds to H: the entries -T_ijk in blocks, [block][k = 0..r][row of the block][column], then
/// those of H_i0, -T_i0k, [block of rows][k = 0..r][row]. Zero behind the rank.
/// @throws InputError for a volume that T can't hold
template <class T>
[[nodiscard]] std::vector<T> chamber_image(const EnclosedVolume& volume);

/// Of all of them, one behind the other.
template <class T>
[[nodiscard]] std::vector<T> chamber_images(const std::vector<EnclosedVolume>& volumes);

}  // namespace quartic::cuda
