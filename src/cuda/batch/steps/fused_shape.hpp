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
  int width = 1;  // 1, 2 or 4
  int warps = 1;  // a multiple of width
  std::size_t shared_bytes = 0;
  bool on_tensor_cores = false;
  bool has_frame = false;  // bodies are free
};

/// Tiles of 16 rows that a block sums at once on tensor cores.
template <class T>
[[nodiscard]] constexpr int fused_row_tiles(int width, int warps) {
  const int across = warp_size * width / most_warp_bodies<T>;
  return warps / (across > 1 ? across : 1) * warp_row_tiles;
}
/// Rows of H.
[[nodiscard]] __host__ __device__ constexpr int fused_rows(int rank) {
  return stiffness_rows(rank) + rank;
}
/// Blocks of rows that a block of warps sums in one pass: where that takes several, all of them but for the last alike.
template <class T>
[[nodiscard]] constexpr int fused_pass_blocks(int rank, int width, int warps) {
  const int units_of_block = block_rows<T> / unit_rows<T>(warp_size * width);
  const int most = warps * fused_units<T>(width) / units_of_block;
  const int blocks = (fused_rows(rank) + block_rows<T> - 1) / block_rows<T>, passes = (blocks + most - 1) / most;
  return (blocks + passes - 1) / passes;
}
/// Values of T in the slabs of coefficients and monomials; on tensor cores of monomials alone.
template <class T>
[[nodiscard]] constexpr int fused_slab_values(int rank, int width, int warps, bool on_tensor_cores) {
  if (on_tensor_cores) return 2 * tensor_slab_bytes<T>(warp_size * width) / static_cast<int>(sizeof(T));
  return 2 * fused_slab * (warp_size * width + fused_pass_blocks<T>(rank, width, warps) * block_rows<T>);
}
/// Monomials in whole slabs, whose factors lie in shared memory.
[[nodiscard]] __host__ __device__ constexpr int fused_pairs(int rank, bool on_tensor_cores) {
  const int count = (rank + 1) * (rank + 2) / 2;
  return on_tensor_cores ? 0 : (count + fused_slab - 1) / fused_slab * fused_slab;
}
/// Rows of 32 values that 32 bodies take in shared memory: K in blocks; residual, argument and solution of a system;
/// with several Newton iterations the increment.
[[nodiscard]] __host__ __device__ constexpr int fused_group_rows(int rank, bool iterates) {
  return system_rows(rank) + step_vectors * block_count(rank) * block_size + (iterates ? rank : 0);
}

/// The same where bodies are free: the rows of free_body.cuh lie there between two products.
template <class T>
[[nodiscard]] constexpr int fused_slab_values(int rank, int width, int warps, bool on_tensor_cores, bool has_frame) {
  const int product = fused_slab_values<T>(rank, width, warps, on_tensor_cores);
  const int frames = has_frame ? frame_rows(rank) * warp_size * width : 0;
  return product > frames ? product : frames;
}

/// What a kernel is told of its blocks, since it would have to divide for it.
struct FusedLayout {
  bool iterates = false;  // with room for increments
  int slab_values = 0;    // of T, in the slabs of coefficients and monomials
  int pass_blocks = 0;    // of rows that a pass sums; on tensor cores tiles of rows
};
template <class T>
[[nodiscard]] constexpr FusedLayout fused_layout(int rank, const FusedShape& shape, bool iterates) {
  return {iterates, fused_slab_values<T>(rank, shape.width, shape.warps, shape.on_tensor_cores, shape.has_frame),
          shape.on_tensor_cores ? fused_row_tiles<T>(shape.width, shape.warps)
                                : fused_pass_blocks<T>(rank, shape.width, shape.warps)};
}

/// Where an entry of H goes among a body's rows: for K within a block on the diagonal to both sides of that.
struct RowPlace {
  std::uint16_t entry, mirrored;
};
template <class T>
[[nodiscard]] std::size_t fused_shared_bytes(int rank, const FusedShape& shape, bool iterates);

/// What the rule looks at besides.
struct FusedLimits {
  std::size_t shared_bytes = 0;  // of a block, at most
  int multiprocessors = 1;
  bool on_tensor_cores = false;
  bool whenever_possible = false;  // and as wide as possible, also where other kernels do better
  bool has_frame = false;
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
