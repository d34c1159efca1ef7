// Which bodies are stepped by the fused kernel, and in what blocks: one rule, by rank, precision and device.
//
// Both ways give the same bits, so that the rule may also look at how many bodies there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cuda/batch_view.hpp"
#include "cuda/step_memory.hpp"

namespace quartic::cuda {

/// Ranks above take so much shared memory that a block has too few bodies to pay for the coefficients that it reads.
inline constexpr int largest_fused_rank = 40;

/// A block of the fused kernel: 32 `width` bodies, `warps` warps.
struct FusedShape {
  int width = 1;  // bodies per lane: 1, 2 or 4
  int warps = 1;
  std::size_t shared_bytes = 0;
};

/// Monomials between two barriers of the fused product: few, since shared memory is scarce.
inline constexpr int fused_slab = 8;
/// Blocks of rows of H that a warp sums at once: up to 128 registers of sums, each read of a coefficient being one for
/// 32 bodies; where a lane has one body, fewer, so that there are more warps.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_row_blocks(int width) {
  return width == 4 ? 1 : width == 2 && sizeof(T) == 4 ? 4 : width == 1 && sizeof(T) == 8 ? 4 : 2;
}
/// Threads of a block, at most: what their registers allow.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_threads(int width) {
  return width == 4 ? 192 : width == 2 || sizeof(T) == 8 ? 256 : 512;
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
[[nodiscard]] std::size_t fused_shared_bytes(int rank, int width, int warps, bool iterates);

/// What the rule looks at besides.
struct FusedLimits {
  std::size_t shared_bytes = 0;  // of a block, at most
  int multiprocessors = 1;
  bool whenever_possible = false;  // also where other kernels do better
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
