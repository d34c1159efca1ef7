// Tile sizes of the kernels that step bodies, with their reasons: all in one place, to be tried out on a card. Those of
// tiles of bodies have no influence on bits.
#pragma once

#include <cuda_runtime.h>

namespace quartic::cuda {

inline constexpr int warp_size = 32;
/// Substeps of a launch, and what they are bounded by, so that none takes seconds: drivers of displays end those, and
/// nothing else gets a turn. Multiply-adds of a multiprocessor in `float`: 50 ms at two fifths of an H100's rate.
inline constexpr int most_steps_at_once = 256;
inline constexpr double most_multiply_adds_at_once = 4.5e9;
/// Bodies of a tile.
inline constexpr int tile_bodies = 128;
/// Values that one instruction loads at most.
template <class T>
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));
/// A warp's lanes stand in a grid over rows of H and bodies (product_tile.cuh): so many of them over rows, for 32, 64
/// or 128 bodies.
[[nodiscard]] __host__ __device__ constexpr int lane_row_groups(int bodies) {
  return bodies == tile_bodies ? 2 : 4;
}
/// Rows of H that a warp sums at least: a pack for each of those lanes.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int unit_rows(int bodies) {
  return lane_row_groups(bodies) * pack_size<T>;
}

// --- The product of two kernels per Newton iteration (evaluate.cu, strain_forces.cu) ---

/// Rows of H that a warp sums at once: 64 registers of sums, for 8 x 8 (float) or 4 x 8 rows and bodies of a lane.
template <class T>
inline constexpr int block_rows = sizeof(T) == 4 ? 16 : 8;
/// Monomials between two barriers: enough to hide the latency of the next slab's copy.
template <class T>
inline constexpr int slab_monomials = sizeof(T) == 4 ? 16 : 8;
/// Warps of a block, all of which make the tile's monomials: as few as that takes, so that several blocks fill a
/// multiprocessor evenly, and one for each of its schedulers.
inline constexpr int product_warps = 4;

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
/// Units of rows of H that a warp sums at once: 32 to 64 registers of sums, so that with 128 registers a thread there
/// are 16 warps on a multiprocessor, which hide each other's latencies; in `double` 64 sums take twice as many.
template <class T>
[[nodiscard]] __host__ __device__ constexpr int fused_units(int width) {
  return width == 1 && sizeof(T) == 8 ? 4 : 2;
}
/// Threads of a block, at most: what their registers allow.
template <class T>
inline constexpr int fused_threads = sizeof(T) == 4 ? 512 : 256;
/// Warps of a block are a multiple of a multiprocessor's schedulers, each of which gets as many.
inline constexpr int schedulers = 4;

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
    {32, 2},                  // two of 103 kB and 8 warps at rank 20, one of 219 kB and 16 warps at rank 30
    {largest_fused_rank, 1},  // one of 164 kB at rank 40
};
template <>
inline constexpr FusedWidth fused_widths<double>[] = {
    {12, 2},  // of 93 kB at rank 12: two blocks where registers allow
    {20, 2},  // one block of 186 kB at rank 20
    {32, 1},  // one block of 207 kB at rank 32
};
/// The same on tensor cores.
template <class T>
inline constexpr FusedWidth tensor_widths[] = {
    {12, 4}, {32, 2},  // two of 96 kB and 8 warps at rank 20, one of 195 kB and 16 warps at rank 32
};
template <>
inline constexpr FusedWidth tensor_widths<double>[] = {
    {20, 2},  // one of 182 kB at rank 20
    {32, 1},  // one of 191 kB at rank 32
};
template <class T>
inline constexpr int fused_tensor_threads = sizeof(T) == 4 ? 512 : 256;

// --- Products on tensor cores (tensor_tile.cuh) ---

/// Warps of a block that makes H alone: 128 registers for each thread of two such blocks.
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
