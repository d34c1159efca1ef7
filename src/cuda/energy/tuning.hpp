// Tile sizes of the kernels that step bodies, with their reasons: all in one place, to be tried out on a card. Those of
// tiles of bodies have no influence on bits.
#pragma once

#include <cuda_runtime.h>

namespace quartic::cuda {

inline constexpr int warp_size = 32;
/// Substeps of a launch, so that none takes seconds: drivers of displays end those, and nothing else gets a turn.
inline constexpr int most_steps_at_once = 256;
/// Bodies of a tile: four per lane, so that a coefficient that a warp reads is multiplied 128 times.
inline constexpr int tile_bodies = 128;

// --- The product of two kernels per Newton iteration (evaluate.cu, strain_forces.cu) ---

/// Rows of H that a warp sums at once: with four bodies per lane 64 registers of sums, and half as many instructions
/// that load as it takes to keep shared memory from being the limit.
template <class T>
inline constexpr int block_rows = sizeof(T) == 4 ? 16 : 8;
/// Monomials between two barriers: enough to hide the latency of the next slab's copy.
template <class T>
inline constexpr int slab_monomials = sizeof(T) == 4 ? 16 : 8;
/// Warps of a block: as few as share a tile's monomials well, so that several blocks fill a multiprocessor evenly.
inline constexpr int most_product_warps = 4;

// --- The rest of the step (implicit_step.cu and the other integrators) ---

inline constexpr int most_step_warps = 8;
/// Warps that share the work on 32 bodies: one per two block rows of the factor or so.
[[nodiscard]] inline int step_warps(int rank) {
  return rank <= 8 ? 1 : rank <= 16 ? 2 : rank <= 28 ? 4 : most_step_warps;
}

// --- All in one kernel (fused_step.cu) ---

/// Ranks above take so much shared memory that a block has too few bodies to pay for the coefficients that it reads.
inline constexpr int largest_fused_rank = 40;
/// Below this rank a step is so short that the launches saved count for more than idle multiprocessors.
inline constexpr int short_fused_rank = 24;
/// Monomials between two barriers: few, since shared memory is scarce.
inline constexpr int fused_slab = 8;
/// Blocks of rows of H that a warp sums at once. Each read of a coefficient serves 32 `width` bodies: with two of them
/// 128 registers of sums in float keep shared memory from being the limit; with one, shared memory is, and more warps
/// hide its latency. In double 64 registers of sums at either width.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_row_blocks(int width) {
  return width == 4 ? 1 : width == 2 && sizeof(T) == 4 ? 4 : width == 1 && sizeof(T) == 8 ? 4 : 2;
}
/// Threads of a block, at most: what their registers allow.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_threads(int width) {
  return width == 4 ? 192 : width == 2 || sizeof(T) == 8 ? 256 : 512;
}

/// Up to a rank, a block has 32 `width` bodies where these fit. Wide blocks read coefficients from L2 and from shared
/// memory for more bodies at once; narrow ones leave shared memory for a second block on the multiprocessor, whose
/// product runs beside the factorisation of the first, or fit at all.
struct FusedWidth {
  int largest_rank;
  int width;
};
template <class T>
inline constexpr FusedWidth fused_widths[] = {
    {12, 4},                  // two blocks per multiprocessor, of 87 kB at rank 12
    {32, 2},                  // two of 101 kB at rank 20, one of 214 kB at rank 30
    {largest_fused_rank, 1},  // one of 164 kB at rank 40
};
template <>
inline constexpr FusedWidth fused_widths<double>[] = {
    {12, 2},  // of 93 kB at rank 12: two blocks where registers allow
    {20, 2},  // one block of 186 kB at rank 20
    {32, 1},  // one block of 207 kB at rank 32
};
/// On tensor cores coefficients take 8 bytes in float, and less time, so that a block of 128 bodies is what L2 can
/// feed.
template <class T>
inline constexpr FusedWidth tensor_widths[] = {
    {20, 4},  // one block of 194 kB at rank 20
    {32, 2},  // one of 219 kB at rank 32
};
template <>
inline constexpr FusedWidth tensor_widths<double>[] = {
    {20, 2},  // one of 186 kB at rank 20
    {32, 1},  // one of 215 kB at rank 32
};

// --- Products on tensor cores (tensor_tile.cuh) ---

/// Warps of a block: 128 registers for each thread of two such blocks.
inline constexpr int most_tensor_warps = 8;
/// Tiles of 16 rows, and bodies, that a warp sums at once: 64 registers of sums.
inline constexpr int warp_row_tiles = 2;
template <class T>
inline constexpr int most_warp_bodies = sizeof(T) == 4 ? 64 : 32;

// --- Bodies one by one (latency_steps.cu) ---

/// Threads of a block: at least as many as the largest rank, so that each row of a vector has its own.
inline constexpr int latency_threads = 256;
inline constexpr int most_cluster_blocks = 8;  // that every device with clusters can start
/// What the number of blocks is chosen by: bytes of coefficients per cycle out of shared memory and out of L2, and the
/// cycles of the two meetings of a cluster's blocks with what they send each other.
inline constexpr double latency_shared_rate = 128, latency_l2_rate = 48, latency_meeting_cycles = 900;

}  // namespace quartic::cuda
