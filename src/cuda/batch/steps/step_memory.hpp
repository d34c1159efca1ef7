// How much memory the system matrices and vectors of a step take.
#pragma once

#include <cstddef>

#include "cuda/energy/batch_view.hpp"

namespace quartic::cuda {

inline constexpr int block_size = 4;
inline constexpr int block_entries = block_size * block_size;

[[nodiscard]] __host__ __device__ constexpr int block_count(int rank) {
  return (rank + block_size - 1) / block_size;
}
/// Rows of the lower triangle in whole blocks.
[[nodiscard]] __host__ __device__ constexpr int system_rows(int rank) {
  return block_count(rank) * (block_count(rank) + 1) / 2 * block_entries;
}

/// Values of T that a BodySystem (body_system.cuh) takes in shared memory.
[[nodiscard]] __host__ __device__ constexpr int body_system_size(int rank) {
  const int padded = block_count(rank) * block_size;
  return (padded + 1) * (padded + 1) + 2 * (padded + 1) * block_size;
}

/// Shared memory of a block of step kernels: for 32 bodies three vectors, a flag each, and the systems and the rows of
/// free bodies if they are there.
inline constexpr int step_vectors = 3;
template <class T>
[[nodiscard]] constexpr std::size_t step_shared_bytes(int rank, bool with_system, int rows_of_frame = 0) {
  const int rows =
      step_vectors * block_count(rank) * block_size + (with_system ? system_rows(rank) : 0) + rows_of_frame;
  return warp_size * (static_cast<std::size_t>(rows) * sizeof(T) + sizeof(int));
}

}  // namespace quartic::cuda
