// Shared memory of the fused kernel, and a thread's view of its body there.
//
// In this order: two slabs of coefficients and monomials, as the product lays them out, where the rows of free bodies
// (free_body.cuh) lie between two products; points (1, coordinates) of the
// block's bodies; for each 32 bodies the rows of `fused_group_rows`; a flag per body; the places of H's rows; the
// factors of monomials.
#pragma once

#include "cuda/base/shared_memory.cuh"
#include "cuda/batch/steps/fused_shape.hpp"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/energy/product_tile.cuh"

namespace quartic::cuda {

/// The parts of shared memory.
template <class T, int width>
struct FusedMemory {
  static constexpr int bodies = warp_size * width;

  T *slabs, *points, *groups;
  int* flags;
  RowPlace* places;
  MonomialPair* pairs;
  int group_rows;

  __device__ FusedMemory(int model_rank, const FusedLayout& layout) {
    const int rank = recomputed(model_rank);
    group_rows = fused_group_rows(rank, layout.iterates);
    slabs = reinterpret_cast<T*>(shared_memory());
    points = slabs + layout.slab_values;
    groups = points + (rank + 1) * bodies;
    flags = reinterpret_cast<int*>(groups + group_rows * bodies);
    places = reinterpret_cast<RowPlace*>(flags + bodies);
    pairs = reinterpret_cast<MonomialPair*>(places + fused_rows(rank));
  }
  /// The rows of a body: entry n at [32 n].
  [[nodiscard]] __device__ T* rows_of(int body) const {
    return groups + (body / warp_size) * group_rows * warp_size + body % warp_size;
  }
};

/// Zeros in the rows and columns behind the rank, where the factor of the step before is; all threads.
template <class T, int width>
__device__ void fill_padding(int rank, const FusedMemory<T, width>& memory) {
  using Memory = FusedMemory<T, width>;
  const int blocks = block_count(rank), last = (blocks - 1) * blocks / 2;
  for (int n = rank * Memory::bodies + static_cast<int>(threadIdx.x); n < blocks * block_size * Memory::bodies;
       n += static_cast<int>(blockDim.x)) {
    const int row = n / Memory::bodies % block_size;
    T* to = memory.rows_of(n % Memory::bodies) + last * block_entries * warp_size;
    for (int j = 0; j < blocks * block_size; ++j)
      to[(j / block_size * block_entries + row * block_size + j % block_size) * warp_size] = 0;
    T* diagonal = to + (blocks - 1) * block_entries * warp_size;
    for (int i = 0; i < rank % block_size; ++i) diagonal[(i * block_size + row) * warp_size] = 0;
  }
}

/// The first of a block's bodies, with `blockIdx.x` counting parts of tiles.
template <class T, int width>
[[nodiscard]] __device__ LaneBodies<T> fused_lane_bodies(const BatchView<T>& batch) {
  constexpr int parts = tile_bodies / (warp_size * width);
  const int part = recomputed(static_cast<int>(blockIdx.x));
  const Tile& tile = batch.tiles[part / parts];
  const int lane = part % parts * warp_size * width;
  return {tile, batch.models[tile.model], lane, lane < tile.bodies, tile.first_body + lane};
}

/// As BodyRows, for the fused kernel: warps share out the groups of 32 bodies, and a group's warps its rows.
template <class T, int width>
struct FusedRows {
  using Number = T;
  static constexpr bool has_force = false, has_chambers = false, may_be_damped = false, one_body = false;
  static constexpr int vector_stride = warp_size;
  const BatchView<T>& batch;
  LaneBodies<T> lane;
  int rank, warp, warps;
  T *argument, *residual, *solution, *increments;
  int* flags;
  T* matrix;
  T* points;        // of this body, row 0
  T* frame_memory;  // of a free body

  __device__ FusedRows(const BatchView<T>& view, const FusedLayout& layout)
      : batch(view), lane(fused_lane_bodies<T, width>(view)), rank(lane.model.rank) {
    const FusedMemory<T, width> memory(rank, layout);
    const int thread = recomputed(static_cast<int>(threadIdx.x));
    warp = thread / warp_size / width;
    warps = static_cast<int>(blockDim.x) / (warp_size * width);
    const int body = thread % (warp_size * width);
    lane.valid = lane.lane + body < lane.tile.bodies;
    if (lane.valid) lane.lane += body;
    lane.body = lane.tile.first_body + lane.lane;
    matrix = memory.rows_of(body);
    residual = matrix + system_rows(rank) * warp_size;
    argument = residual + padded_rank() * warp_size;
    solution = argument + padded_rank() * warp_size;
    increments = solution + padded_rank() * warp_size;
    flags = memory.flags + body;
    points = memory.points + body;
    frame_memory = memory.slabs + body / warp_size * frame_rows(rank) * warp_size + body % warp_size;
  }

  [[nodiscard]] __device__ System<T, true> system() const { return {rank, matrix, warp, warps}; }
  [[nodiscard]] __device__ int padded_rank() const { return block_count(rank) * block_size; }
  [[nodiscard]] __device__ std::int64_t state(int row) const { return row * batch.pitch + lane.body; }
  [[nodiscard]] __device__ bool moves() const { return lane.valid && batch.status[lane.body] != status_diverged; }
  [[nodiscard]] __device__ T* point(T*, int row) const { return points + (row + 1) * FusedMemory<T, width>::bodies; }
  /// H_i0, which is where the solution will be, with what chambers add to it.
  [[nodiscard]] __device__ T h_zero(const T*, int i) const { return solution[i * warp_size]; }
  [[nodiscard]] __device__ T end_force(int row) const {
    const T f = batch.force[state(row)];
    return batch.end_scale == nullptr ? f : batch.end_scale[lane.body] * f;
  }
  [[nodiscard]] __device__ int model_number() const { return lane.tile.model; }
  [[nodiscard]] __device__ std::int64_t body_number() const { return lane.body; }
  [[nodiscard]] __device__ T start_scale() const {
    return batch.start_scale == nullptr ? T{1} : batch.start_scale[lane.body];
  }
  [[nodiscard]] __device__ T end_scale() const {
    return batch.end_scale == nullptr ? T{1} : batch.end_scale[lane.body];
  }
  [[nodiscard]] __device__ bool valid() const { return lane.valid; }
  [[nodiscard]] __device__ T increment(int row, bool first) const { return first ? T{0} : increments[row * warp_size]; }
  [[nodiscard]] __device__ T square_sum(const T* values) const {
    T sum = 0;
    for (int i = 0; i < rank; ++i) sum += values[i * warp_size] * values[i * warp_size];
    return sum;
  }
};

}  // namespace quartic::cuda
