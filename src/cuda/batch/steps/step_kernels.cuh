// What the kernels of all integrators have in common: launch shapes, reading bodies, accepting their new state.
#pragma once

#include <cstddef>
#include <type_traits>

#include "core/batch/scheme.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/batch/steps/integrators.hpp"
#include "cuda/batch/steps/step_memory.hpp"
#include "cuda/batch/steps/system.cuh"
#include "cuda/energy/evaluator.hpp"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {

template <class T>
[[nodiscard]] LaunchShape step_launch(const StepShape& shape, bool with_system) {
  return {dim3(static_cast<unsigned>(shape.tiles * (tile_bodies / warp_size))),
          dim3(static_cast<unsigned>(step_warps(shape.rank) * warp_size)),
          step_shared_bytes<T>(shape.rank, with_system, with_system && shape.has_frame ? frame_rows(shape.rank) : 0)};
}

/// Calls with all values of (systems are in shared memory, R is in H, bodies have chambers), as types.
template <class Call>
void for_all_kernel_forms(const Call& call) {
  const auto with = [&](auto has_chambers) {
    call(std::false_type{}, std::false_type{}, has_chambers);
    call(std::false_type{}, std::true_type{}, has_chambers);
    call(std::true_type{}, std::false_type{}, has_chambers);
    call(std::true_type{}, std::true_type{}, has_chambers);
  };
  with(std::false_type{});
  with(std::true_type{});
}
/// Calls with those of a batch.
template <class T, class Call>
void with_kernel_form(const BatchView<T>& batch, const StepShape& shape, const Call& call) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    if (in_shared_memory == shape.system_in_shared_memory && has_force == batch.evaluator->makes_forces() &&
        has_chambers == shape.has_chambers)
      call(in_shared_memory, has_force, has_chambers);
  });
}

template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...), std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "reserve shared memory");
  // So that as many blocks as shared memory has room for are on a multiprocessor together.
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "ask for shared memory");
}

/// Whether it is so for one of a warp's bodies: the same for all warps of those bodies, if each sees the same of a
/// body.
[[nodiscard]] __device__ inline bool any(bool predicate) {
  return __any_sync(0xffffffffU, predicate) != 0;
}

/// 32 bodies of a tile, one per lane.
template <class T>
struct LaneBodies {
  const Tile& tile;
  const ModelView<T>& model;
  int lane;           // within the tile
  bool valid;         // is there such a body?
  std::int64_t body;  // in the batch; another body of the tile where not valid: to read, never to write
};

/// The bodies of a block with `blockIdx.x` counting quarters of tiles.
template <class T>
[[nodiscard]] __device__ inline LaneBodies<T> lane_bodies(const BatchView<T>& batch) {
  constexpr int parts = tile_bodies / warp_size;
  const Tile& tile = batch.tiles[blockIdx.x / parts];
  const int lane = static_cast<int>(blockIdx.x) % parts * warp_size + static_cast<int>(threadIdx.x) % warp_size;
  const bool valid = lane < tile.bodies;
  return {tile, batch.models[tile.model], lane, valid, tile.first_body + (valid ? lane : 0)};
}

/// A thread's view of its body's rows; the P warps of a block share out the rows.
/// @tparam force_is_there whether R stands in the place of H_i0
/// @tparam with_chambers whether `solution` has what chambers add to that (chambers.cuh)
template <class T, bool in_shared_memory, bool force_is_there = false, bool with_chambers = false>
struct BodyRows {
  static constexpr bool has_force = force_is_there, has_chambers = with_chambers, may_be_damped = true,
                        one_body = false;
  static constexpr int vector_stride = warp_size;
  using Number = T;
  const BatchView<T>& batch;
  LaneBodies<T> lane;
  int rank, warp, warps;
  T *argument, *residual, *solution;  // shared vectors
  int* flags;                         // shared, one per body
  T* matrix;

  __device__ explicit BodyRows(const BatchView<T>& view)
      : batch(view),
        lane(lane_bodies(view)),
        rank(lane.model.rank),
        warp(static_cast<int>(threadIdx.x) / warp_size),
        warps(static_cast<int>(blockDim.x) / warp_size) {
    using S = System<T, in_shared_memory>;
    T* shared = reinterpret_cast<T*>(shared_memory());
    argument = S::vector(shared, rank, 0);
    residual = S::vector(shared, rank, 1);
    solution = S::vector(shared, rank, 2);
    T* behind = shared + step_vectors * padded_rank() * warp_size;
    if constexpr (in_shared_memory) {
      matrix = behind + threadIdx.x % warp_size;
      behind += system_rows(rank) * warp_size;
    } else {
      matrix = view.system == nullptr ? nullptr : view.system + lane.tile.system_row * tile_bodies + lane.lane;
    }
    flags = reinterpret_cast<int*>(behind) + threadIdx.x % warp_size;
  }

  [[nodiscard]] __device__ System<T, in_shared_memory> system() const { return {rank, matrix, warp, warps}; }
  /// What is behind the flags.
  [[nodiscard]] __device__ T* shared_rows() const {
    return reinterpret_cast<T*>(flags - threadIdx.x % warp_size + warp_size) + threadIdx.x % warp_size;
  }
  /// frame_rows of a free body, as far apart as the system's.
  [[nodiscard]] __device__ T* frame_memory() const {
    return in_shared_memory ? shared_rows() : batch.frame.rows + lane.tile.frame_row * tile_bodies + lane.lane;
  }
  [[nodiscard]] __device__ int model_number() const { return lane.tile.model; }
  [[nodiscard]] __device__ std::int64_t body_number() const { return lane.body; }
  [[nodiscard]] __device__ bool valid() const { return lane.valid; }
  [[nodiscard]] __device__ T start_scale() const {
    return batch.start_scale == nullptr ? T{1} : batch.start_scale[lane.body];
  }
  [[nodiscard]] __device__ T end_scale() const {
    return batch.end_scale == nullptr ? T{1} : batch.end_scale[lane.body];
  }

  [[nodiscard]] __device__ int padded_rank() const { return block_count(rank) * block_size; }
  [[nodiscard]] __device__ std::int64_t state(int row) const { return row * batch.pitch + lane.body; }
  [[nodiscard]] __device__ T* point(T* points, int row) const {
    return points + (lane.tile.point_row + 1 + row) * tile_bodies + lane.lane;
  }
  /// Whether the body is there and isn't frozen.
  [[nodiscard]] __device__ bool moves() const { return lane.valid && batch.status[lane.body] != status_diverged; }
  /// How far the body's step is. All warps of a block see the same.
  [[nodiscard]] __device__ std::uint8_t progress() const {
    return lane.valid ? batch.progress[lane.body] : step_closed;
  }
  [[nodiscard]] __device__ T* vector(T* vectors, int row) const {
    return vectors + (lane.tile.vector_row + row) * tile_bodies + lane.lane;
  }
  /// H's entry of row 0.
  [[nodiscard]] __device__ const T* h(const T* rows) const { return rows + lane.tile.h_row * tile_bodies + lane.lane; }
  /// H_i0, or R_i where that stands there; with what chambers add to it.
  [[nodiscard]] __device__ T h_zero(const T* rows, int i) const {
    const T value = h(rows)[(stiffness_rows(rank) + i) * tile_bodies];
    if constexpr (has_chambers) return value + solution[i * warp_size];
    return value;
  }
  [[nodiscard]] __device__ T start_force(int row) const {
    const T f = batch.force[state(row)];
    return batch.start_scale == nullptr ? f : batch.start_scale[lane.body] * f;
  }
  [[nodiscard]] __device__ T end_force(int row) const {
    const T f = batch.force[state(row)];
    return batch.end_scale == nullptr ? f : batch.end_scale[lane.body] * f;
  }
  [[nodiscard]] __device__ T mean_force(int row) const { return mean_load(start_force(row), end_force(row)); }
  /// The increment so far.
  [[nodiscard]] __device__ T increment(int row, bool first) const {
    return first || !lane.valid ? T{0} : *vector(batch.increment, row);
  }
  [[nodiscard]] __device__ T square_sum(const T* values) const {
    T sum = 0;
    for (int i = 0; i < rank; ++i) sum += values[i * warp_size] * values[i * warp_size];
    return sum;
  }
};

/// R = K x + y with x = q / 3 and y = H_i0 / 3, or with x = 0 and y = R where the rows have that. Here `value` and a
/// share 1/parts of x_i, given q_i; by a product, since a division takes as long as all else of a row.
template <int parts = 1, class Rows, class T>
[[nodiscard]] __device__ T plus_force_argument(const Rows&, T value, const T& q) {
  constexpr T share = T{1} / (3 * parts);
  if constexpr (Rows::has_force)
    return value;
  else
    return value + share * q;
}
/// The same share of y_i.
template <int parts = 1, class Rows, class T>
[[nodiscard]] __device__ T force_rest(const Rows& rows, const T* h, int i) {
  constexpr T share = T{1} / ((Rows::has_force ? 1 : 3) * parts);
  return share * rows.h_zero(h, i);
}

/// Rows of a thread whose state it loads before it works on any: the loads' latencies are the most of a step's time.
inline constexpr int rows_at_once = 4;

/// For this warp's rows, some at a time: `values[n] = load(i)` of all of them, then `use(i, values[n])`. Where there
/// are fewer, the first one is loaded in place of those that are missing, so that no branch stands between the loads.
template <class Rows, class Load, class Use>
__device__ void for_rows(const Rows& rows, const Load& load, const Use& use) {
  for (int first = rows.warp; first < rows.rank; first += rows_at_once * rows.warps) {
    std::remove_cvref_t<decltype(load(0))> values[rows_at_once];
#pragma unroll
    for (int n = 0; n < rows_at_once; ++n) {
      const int i = first + n * rows.warps;
      values[n] = load(i < rows.rank ? i : first);
    }
#pragma unroll
    for (int n = 0; n < rows_at_once; ++n)
      if (const int i = first + n * rows.warps; i < rows.rank) use(i, values[n]);
  }
}

/// What a step moves besides the coordinates: of held bodies nothing.
template <class T>
struct NoRigidMotion {
  __device__ void advance() const {}
  [[nodiscard]] __device__ T defects() const { return 0; }
  __device__ void store() const {}
};

/// Ends the step: accepts the new state where all of it is finite and the system could be solved, else freezes the body
/// where it was; makes the points of the next step. `next(row)` tells the new state of rows of this thread, which are
/// kept in the shared vectors until it is known of all. Warp 0 moves `rigid` on.
template <class Rows, class Next, class Rigid = NoRigidMotion<typename Rows::Number>>
__device__ void accept(const Rows& rows, std::uint8_t progress, const Next& next, Rigid&& rigid = {}) {
  using T = typename Rows::Number;
  const BatchView<T>& batch = rows.batch;
  const bool moves = rows.moves();
  if (rows.warp == 0) *rows.flags = progress == step_failed ? 1 : 0;
  __syncthreads();
  T defects = 0;
  if (rows.warp == 0) {
    rigid.advance();
    defects = rigid.defects();
  }
  for_rows(rows, next, [&](int i, const RowState<T>& state) {
    defects += defect(state.q) + defect(state.velocity) + defect(state.acceleration);
    const int at = i * warp_size;
    rows.argument[at] = state.q, rows.residual[at] = state.velocity, rows.solution[at] = state.acceleration;
  });
  if (defects != 0) *rows.flags = 1;
  __syncthreads();
  if (!moves) return;
  const bool diverged = *rows.flags != 0;
  if (rows.warp == 0) {
    if (diverged) batch.status[rows.lane.body] = status_diverged;
    batch.progress[rows.lane.body] = diverged ? step_closed : step_open;
    if (!diverged) rigid.store();
  }
  if (diverged) return;
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const std::int64_t at = rows.state(i);
    const T q = rows.argument[i * warp_size];
    batch.q[at] = q, batch.velocity[at] = rows.residual[i * warp_size];
    batch.acceleration[at] = rows.solution[i * warp_size];
    *rows.point(batch.points, i) = q;
    if (batch.second_points != nullptr) *rows.point(batch.second_points, i) = q;
  }
}

}  // namespace quartic::cuda
