// Which bodies are stepped by the fused kernel, and in what blocks: one rule, by rank, precision and device.
//
// Both ways give the same bits, so that the rule may also look at how many bodies there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/energy/batch_view.hpp"
#include "cuda/energy/tensor_view.hpp"

namespace quartic::cuda {

/// A block of the fused kernel: 32 `width` bodies, `warps` warps.
struct FusedShape {
  int width = 1;  // bodies per lane: 1, 2 or 4
  int warps = 1;
  std::size_t shared_bytes = 0;
  bool on_tensor_cores = false;
};

/// Tiles of 16 rows that a block sums at once on tensor cores.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_row_tiles(int width, int warps) {
  const int across = warp_size * width / most_warp_bodies<T>;
  return warps / (across > 1 ? across : 1) * warp_row_tiles;
}
/// Values of T in the slabs of coefficients and monomials.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_slab_values(int width, int warps, bool on_tensor_cores) {
  if (on_tensor_cores)
    return tensor_slab_bytes(warp_size * width, fused_row_tiles<T>(width, warps)) / static_cast<int>(sizeof(T));
  return 2 * fused_slab * (warp_size * width + warps * fused_row_blocks<T>(width) * block_rows<T>);
}
/// Rows of 32 values that 32 bodies take in shared memory: K in blocks; residual, argument and solution of a system;
/// with several Newton iterations the increment.
[[nodiscard]] __host__ __device__ constexpr int fused_group_rows(int rank, bool iterates) {
  return system_rows(rank) + step_vectors * block_count(rank) * block_size + (iterates ? rank : 0);
}

/// Where an entry of H goes among a body's rows: for K within a block on the diagonal to both sides of that.
struct RowPlace {
  std::uint16_t entry, mirrored;
};
/// Rows of H in whole warps' shares.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_places(int rank, int width) {
  const int share = fused_row_blocks<T>(width) * block_rows<T>;
  return (stiffness_rows(rank) + rank + share - 1) / share * share;
}

template <class T>
[[nodiscard]] std::size_t fused_shared_bytes(int rank, int width, int warps, bool iterates, bool on_tensor_cores);

/// What the rule looks at besides.
struct FusedLimits {
  std::size_t shared_bytes = 0;  // of a block, at most
  int multiprocessors = 1;
  bool on_tensor_cores = false;
  bool whenever_possible = false;  // and as wide as possible, also where other kernels do better
};

enum class Fusing : std::uint8_t { by_rule, never, whenever_possible };

/// For measurements and tests: what the environment variable QUARTIC_CUDA_FUSED says, 0 or 1; by the rule where it
/// isn't set. @throws InputError for another value
[[nodiscard]] Fusing fusing();

/// @param bodies of each group of this rank
/// @return none where the kernels of `evaluate` and `implicit_step` do better
template <class T>
[[nodiscard]] std::optional<FusedShape> fused_shape(int rank, std::span<const std::int64_t> bodies, bool iterates,
                                                    const FusedLimits& limits);

}  // namespace quartic::cuda
