// A whole step of implicit Newmark or backward Euler in one kernel, many steps per launch: H of a block's bodies, made
// as in evaluate.cu, stays in shared memory, where a Newton iteration (newton_iteration.cuh) turns it into the next
// point.
//
// A block of W warps has 32 `width` bodies, lane l of each warp `width` of them. For the product a warp sums one or two
// blocks of rows at once, in several passes where H has more rows than the warps together; for the rest of the
// iteration the warps share out the groups of 32 bodies, lane = body, and a group's warps the rows of its bodies.
//
// Slabs of coefficients come by asynchronous copies, each warp for itself, slabs of monomials are computed by all
// warps; both are double-buffered, with one barrier per slab. Where a system needs a shift, all of the block's bodies
// are evaluated again, since the factor has replaced K: the same bits for those that need none.
//
// Shared memory: see fused_bodies.cuh. Per body and Newton iteration 2 h_rows (r+1)(r+2)/2 + r^3/3 + 4 r^2 flops; per
// step 4 r values read and 3 r written; coefficients are read once per block and iteration, from L2.
#include <algorithm>
#include <type_traits>

#include "cuda/fused_bodies.cuh"
#include "cuda/fused_step.hpp"
#include "cuda/newton_iteration.cuh"
#include "cuda/product_tile.cuh"

namespace quartic::cuda {
namespace {

// H at the block's points, into the rows of its bodies.
template <class T, int width>
class FusedProduct {
 public:
  using Memory = FusedMemory<T, width>;
  static constexpr int blocks_at_once = fused_row_blocks<T>(width);

  __device__ FusedProduct(const BatchView<T>& batch, bool iterates)
      : model_(batch.models[fused_lane_bodies<T, width>(batch).tile.model]),
        memory_(model_.rank, iterates),
        warp_(static_cast<int>(threadIdx.x) / warp_size),
        warps_(static_cast<int>(blockDim.x) / warp_size),
        monomials_((model_.rank + 1) * (model_.rank + 2) / 2) {}

  /// K into the matrix and H_i0 into `solution`. Begins and ends with a barrier.
  __device__ void evaluate() const {
    for (int pass = 0; pass < model_.row_blocks; pass += warps_ * blocks_at_once) {
      const int first = pass + warp_ * blocks_at_once, rest = model_.row_blocks - first;
      __syncthreads();  // points are complete, and nobody reads a slab any more
      T sums[blocks_at_once * block_rows<T>][width] = {};
      if (rest >= blocks_at_once)
        multiply(first, std::integral_constant<int, blocks_at_once>(), sums);
      else
        multiply(first, rest, sums);
      if (rest > 0) store(first, sums);
    }
    fill_padding();
    __syncthreads();
  }

 private:
  // The first monomials of the first rows, for the copies by this lane; `count` blocks of rows: a constant for most
  // warps, or fewer (or none) for the last ones.
  template <class Count>
  __device__ void start_slab(const T* from, int slab, Count count) const {
    T* to = coefficients(slab % 2) + lane_pack();
    const int step = model_.monomials * block_rows<T>;
#pragma unroll
    for (int block = 0; block < blocks_at_once; ++block) {
      if (block >= count) break;
      __pipeline_memcpy_async(to + block * slab_values, from + slab * slab_values + block * step, 16);
    }
    __pipeline_commit();
    make_monomials<T, Memory::bodies, fused_slab>(model_.pairs + slab * fused_slab, memory_.points,
                                                  monomials(slab % 2));
  }

  template <class Count>
  __device__ void multiply(int first, Count count, T (&sums)[blocks_at_once * block_rows<T>][width]) const {
    const T* from =
        model_.coefficients + static_cast<std::int64_t>(first) * model_.monomials * block_rows<T> + lane_pack();
    const int slabs = (monomials_ + fused_slab - 1) / fused_slab;
    start_slab(from, 0, count);
    for (int s = 0; s < slabs; ++s) {
      __pipeline_wait_prior(0);
      __syncthreads();  // slab s is there, and nobody reads slab s - 1 any more
      if (s + 1 < slabs) start_slab(from, s + 1, count);
      const T *c = coefficients(s % 2), *m = monomials(s % 2);
      if (s + 1 < slabs || monomials_ % fused_slab == 0) {
#pragma unroll
        for (int k = 0; k < fused_slab; ++k)
          multiply_monomial(count, c + k * block_rows<T>, slab_values, m + k * Memory::bodies, sums);
      } else {
#pragma unroll 1
        for (int k = 0; k < monomials_ % fused_slab; ++k)
          multiply_monomial(count, c + k * block_rows<T>, slab_values, m + k * Memory::bodies, sums);
      }
    }
  }

  __device__ void store(int first, const T (&sums)[blocks_at_once * block_rows<T>][width]) const {
    using Lane = LaneVectors<T, width>;
    const RowPlace* places = memory_.places + first * block_rows<T>;
    T* to[Lane::count];
#pragma unroll
    for (int v = 0; v < Lane::count; ++v) to[v] = memory_.rows_of(Lane::first() + v * Lane::step);
#pragma unroll
    for (int n = 0; n < blocks_at_once * block_rows<T>; ++n) {
      const RowPlace place = places[n];
#pragma unroll
      for (int v = 0; v < Lane::count; ++v) {
        const T* values = sums[n] + v * Lane::size;
        store_vector<Lane::size>(values, to[v] + place.entry * warp_size);
        if (place.mirrored != place.entry) store_vector<Lane::size>(values, to[v] + place.mirrored * warp_size);
      }
    }
  }

  // Zeros in the rows and columns behind the rank, where the factor of the step before is.
  __device__ void fill_padding() const {
    const int rank = model_.rank, blocks = block_count(rank), last = (blocks - 1) * blocks / 2;
    for (int n = rank * Memory::bodies + static_cast<int>(threadIdx.x); n < blocks * block_size * Memory::bodies;
         n += static_cast<int>(blockDim.x)) {
      const int row = n / Memory::bodies % block_size;
      T* to = memory_.rows_of(n % Memory::bodies) + last * block_entries * warp_size;
      for (int j = 0; j < blocks * block_size; ++j)
        to[(j / block_size * block_entries + row * block_size + j % block_size) * warp_size] = 0;
      T* diagonal = to + (blocks - 1) * block_entries * warp_size;
      for (int i = 0; i < row; ++i) diagonal[(i * block_size + row) * warp_size] = 0;
    }
  }

  static constexpr int slab_values = fused_slab * block_rows<T>;
  static_assert(slab_values == warp_size * pack_size<T>, "a slab of a block of rows is one copy per lane");
  [[nodiscard]] static __device__ int lane_pack() {
    return static_cast<int>(threadIdx.x) % warp_size * pack_size<T>;
  }
  [[nodiscard]] __device__ T* coefficients(int buffer) const {
    return memory_.coefficients + (2 * warp_ + buffer) * Memory::warp_coefficients;
  }
  [[nodiscard]] __device__ T* monomials(int buffer) const {
    return memory_.monomials + buffer * Memory::slab_monomials;
  }

  const ModelView<T>& model_;
  Memory memory_;
  int warp_, warps_, monomials_;
};

// Where each row of H goes among a body's rows.
template <class T, int width>
__device__ void make_places(int rank, const FusedMemory<T, width>& memory) {
  for (int n = static_cast<int>(threadIdx.x); n < fused_places<T>(rank, width); n += static_cast<int>(blockDim.x)) {
    const int scratch = system_rows(rank) + block_count(rank) * block_size;  // `argument`, for rows that are padding
    memory.places[n] = {static_cast<std::uint16_t>(scratch), static_cast<std::uint16_t>(scratch)};
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < rank; i += static_cast<int>(blockDim.x)) {
    const int row = i / block_size, m = i % block_size;
    for (int j = 0; j <= i; ++j) {
      const int column = j / block_size, k = j % block_size;
      const int block = (row * (row + 1) / 2 + column) * block_entries;
      const int entry = block + m * block_size + k, across = block + k * block_size + m;
      memory.places[stiffness_row(i, j)] = {static_cast<std::uint16_t>(entry),
                                            static_cast<std::uint16_t>(row == column ? across : entry)};
    }
    const auto solution = static_cast<std::uint16_t>(system_rows(rank) + 2 * block_count(rank) * block_size + i);
    memory.places[stiffness_rows(rank) + i] = {solution, solution};
  }
}

template <class T>
[[nodiscard]] __device__ bool iterates(const StepSettings<T>& s) {
  return s.newton_iterations > 1;
}

template <class T, int width>
__device__ void prepare(const BatchView<T>& batch, const StepSettings<T>& s) {
  const FusedRows<T, width> rows(batch, iterates(s));
  make_places(rows.rank, FusedMemory<T, width>(rows.rank, iterates(s)));
  if (rows.warp == 0) *rows.points = 1;
  for (int i = rows.warp; i < rows.rank; i += rows.warps)
    *rows.point(nullptr, i) = rows.lane.valid ? batch.q[rows.state(i)] : T{0};
}

__device__ bool any_of_block(bool x) {
  return __syncthreads_or(x ? 1 : 0) != 0;
}

// A Newton iteration: leaves the correction of bodies at work in `argument`, and changes how far their step is. H is
// evaluated again until all of the block's systems have a factor.
// @return whether the body is to be corrected
template <class T, int width>
__device__ bool iterate(const BatchView<T>& batch, const StepSettings<T>& s, bool first, std::uint8_t& progress) {
  Shifts<T> shifts;
  bool open = false, failed = false, regularised = false;
  for (bool again = false;; again = true) {
    FusedProduct<T, width>(batch, iterates(s)).evaluate();
    const FusedRows<T, width> rows(batch, iterates(s));
    System<T, true> system = rows.system();
    SystemTerms<T> terms = correction_terms(rows, s);
    if (again) {
      shifts.raise(system, terms, failed);
      terms.shift = shifts.shift;
    } else {
      make_residual(rows, system, s, first, [] { __syncthreads(); });
      progress = progress_behind(rows, s, progress);
      open = progress == step_open;
      if (!any_of_block(open)) return false;
    }
    failed = !system.factorize(terms, rows.residual, rows.solution) && open;
    regularised = regularised || failed;
    if (any_of_block(failed) && !shifts.exhausted()) continue;
    system.substitute(rows.solution, rows.argument);
    if (regularised && rows.lane.valid && rows.warp == 0) batch.status[rows.lane.body] = status_regularised;
    if (failed) progress = step_failed;
    return open;
  }
}

// Ends a Newton iteration: accepts the new state if it was the last one, else makes the next point.
template <class T, int width>
__device__ void move_on(const BatchView<T>& batch, const StepSettings<T>& s, bool first, bool last, bool open,
                        std::uint8_t progress) {
  const FusedRows<T, width> rows(batch, iterates(s));
  const auto corrected = [&](int i) {
    return open ? rows.increment(i, first) - rows.argument[i * warp_size] : rows.increment(i, first);
  };
  if (last) return accept(rows, progress, [&](int i) { return next_state(rows, s, i, corrected(i)); });
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const T increment = corrected(i);
    rows.increments[i * warp_size] = increment;
    *rows.point(nullptr, i) = rows.lane.valid ? batch.q[rows.state(i)] + increment : T{0};
  }
}

template <class T, int width>
__global__ void __launch_bounds__(fused_threads<T>(width), 1)
    fused_newton_steps(const BatchView<T> batch, const StepSettings<T> s, int substeps) {
  if (!fused_lane_bodies<T, width>(batch).valid) return;
  prepare<T, width>(batch, s);
  for (int n = 0; n < substeps; ++n) {
    std::uint8_t progress = FusedRows<T, width>(batch, iterates(s)).moves() ? step_open : step_closed;
    if (!any_of_block(progress == step_open)) return;
    for (int k = 0; k < s.newton_iterations; ++k) {
      const bool open = any_of_block(progress == step_open) && iterate<T, width>(batch, s, k == 0, progress);
      move_on<T, width>(batch, s, k == 0, k + 1 == s.newton_iterations, open, progress);
    }
    __syncthreads();  // who diverged is known
  }
}

template <class T, int width>
void start(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, int tiles, const FusedShape& shape,
           cudaStream_t stream) {
  constexpr int parts = tile_bodies / (warp_size * width);
  launch(fused_newton_steps<T, width>,
         {dim3(static_cast<unsigned>(tiles * parts)), dim3(static_cast<unsigned>(shape.warps * warp_size)),
          shape.shared_bytes},
         stream, batch, settings, substeps);
}

}  // namespace

template <class T>
void fused_steps(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, int tiles,
                 const FusedShape& shape, cudaStream_t stream) {
  if (shape.width == 1) return start<T, 1>(batch, settings, substeps, tiles, shape, stream);
  if (shape.width == 2) return start<T, 2>(batch, settings, substeps, tiles, shape, stream);
  if constexpr (sizeof(T) == 4) start<T, 4>(batch, settings, substeps, tiles, shape, stream);
}

template <class T>
void prepare_fused_steps(std::size_t shared_bytes) {
  allow_shared_memory(fused_newton_steps<T, 1>, shared_bytes);
  allow_shared_memory(fused_newton_steps<T, 2>, shared_bytes);
  if constexpr (sizeof(T) == 4) allow_shared_memory(fused_newton_steps<T, 4>, shared_bytes);
}

template void fused_steps(const BatchView<float>&, const StepSettings<float>&, int, int, const FusedShape&,
                          cudaStream_t);
template void fused_steps(const BatchView<double>&, const StepSettings<double>&, int, int, const FusedShape&,
                          cudaStream_t);
template void prepare_fused_steps<float>(std::size_t);
template void prepare_fused_steps<double>(std::size_t);

}  // namespace quartic::cuda
