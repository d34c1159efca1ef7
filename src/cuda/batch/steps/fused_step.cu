// A whole step of implicit Newmark or backward Euler in one kernel, many steps per launch: H of a block's bodies, made
// as in evaluate.cu or tensor_evaluate.cu, stays in shared memory, where a Newton iteration (newton_iteration.cuh)
// turns it into the next point.
//
// A block of W warps has 32 `width` bodies. For the product its warps share out the rows of H, in several passes where
// these are more than the warps sum at once; for the rest of the iteration the warps share out the groups of 32 bodies,
// lane = body, and a group's warps the rows of its bodies. Where a system needs a shift, all of the block's bodies are
// evaluated again, since the factor has replaced K: the same bits for those that need none.
//
// Shared memory: see fused_bodies.cuh. Per body and Newton iteration 2 h_rows (r+1)(r+2)/2 + r^3/3 + 4 r^2 flops; per
// step 4 r values read and 3 r written; coefficients are read once per block and iteration, from L2.
#include <span>

#include "cuda/batch/steps/fused_bodies.cuh"
#include "cuda/batch/steps/fused_product.cuh"
#include "cuda/batch/steps/fused_step.hpp"
#include "cuda/batch/steps/fused_tensor_product.cuh"
#include "cuda/batch/steps/newton_iteration.cuh"

namespace quartic::cuda {
namespace {

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

template <class Product, class T, int width>
__device__ void prepare(const BatchView<T>& batch, const StepSettings<T>& s) {
  const FusedRows<T, width> rows(batch, iterates(s), Product::on_tensor_cores);
  make_places(rows.rank, FusedMemory<T, width>(rows.rank, iterates(s), Product::on_tensor_cores));
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
template <class Product, class T, int width>
__device__ bool iterate(const BatchView<T>& batch, const StepSettings<T>& s, bool first, std::uint8_t& progress) {
  Shifts<T> shifts;
  bool open = false, failed = false, regularised = false;
  for (bool again = false;; again = true) {
    Product(batch, iterates(s)).evaluate();
    const FusedRows<T, width> rows(batch, iterates(s), Product::on_tensor_cores);
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
template <class Product, class T, int width>
__device__ void move_on(const BatchView<T>& batch, const StepSettings<T>& s, bool first, bool last, bool open,
                        std::uint8_t progress) {
  const FusedRows<T, width> rows(batch, iterates(s), Product::on_tensor_cores);
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

template <class T, int width, template <class, int> class Product>
__device__ void take_steps(const BatchView<T>& batch, const StepSettings<T>& s, int substeps) {
  using P = Product<T, width>;
  if (!fused_lane_bodies<T, width>(batch).valid) return;
  prepare<P, T, width>(batch, s);
  for (int n = 0; n < substeps; ++n) {
    const bool moves = FusedRows<T, width>(batch, iterates(s), P::on_tensor_cores).moves();
    std::uint8_t progress = moves ? step_open : step_closed;
    if (!any_of_block(progress == step_open)) return;
    for (int k = 0; k < s.newton_iterations; ++k) {
      const bool open = any_of_block(progress == step_open) && iterate<P, T, width>(batch, s, k == 0, progress);
      move_on<P, T, width>(batch, s, k == 0, k + 1 == s.newton_iterations, open, progress);
    }
    __syncthreads();  // who diverged is known
  }
}

template <class T, int width>
__global__ void __launch_bounds__(fused_threads<T>(width), 1)
    fused_newton_steps(const BatchView<T> batch, const StepSettings<T> s, int substeps) {
  take_steps<T, width, FusedProduct>(batch, s, substeps);
}

template <class T, int width>
__global__ void __launch_bounds__(most_tensor_warps* warp_size, 1)
    fused_newton_steps_on_tensor_cores(const BatchView<T> batch, const StepSettings<T> s, int substeps) {
  take_steps<T, width, FusedTensorProduct>(batch, s, substeps);
}

template <class T, int width>
void start(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, int tiles, const FusedShape& shape,
           cudaStream_t stream) {
  constexpr int parts = tile_bodies / (warp_size * width);
  launch(shape.on_tensor_cores ? fused_newton_steps_on_tensor_cores<T, width> : fused_newton_steps<T, width>,
         {dim3(static_cast<unsigned>(tiles * parts)), dim3(static_cast<unsigned>(shape.warps * warp_size)),
          shape.shared_bytes},
         stream, batch, settings, substeps);
}

template <class T, int width>
void prepare_width(std::size_t shared_bytes) {
  allow_shared_memory(fused_newton_steps<T, width>, shared_bytes);
  allow_shared_memory(fused_newton_steps_on_tensor_cores<T, width>, shared_bytes);
}

}  // namespace

// Widths that have a kernel.
template <class T>
constexpr bool are_known(std::span<const FusedWidth> widths) {
  for (const FusedWidth& w : widths)
    if (w.width != 1 && w.width != 2 && (w.width != 4 || sizeof(T) == 8)) return false;
  return true;
}
static_assert(are_known<float>(fused_widths<float>) && are_known<float>(tensor_widths<float>));
static_assert(are_known<double>(fused_widths<double>) && are_known<double>(tensor_widths<double>));

template <class T>
void fused_steps(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, int tiles,
                 const FusedShape& shape, cudaStream_t stream) {
  if (shape.width == 1) return start<T, 1>(batch, settings, substeps, tiles, shape, stream);
  if (shape.width == 2) return start<T, 2>(batch, settings, substeps, tiles, shape, stream);
  if constexpr (sizeof(T) == 4) start<T, 4>(batch, settings, substeps, tiles, shape, stream);
}

template <class T>
void prepare_fused_steps(std::size_t shared_bytes) {
  prepare_width<T, 1>(shared_bytes);
  prepare_width<T, 2>(shared_bytes);
  if constexpr (sizeof(T) == 4) prepare_width<T, 4>(shared_bytes);
}

template void fused_steps(const BatchView<float>&, const StepSettings<float>&, int, int, const FusedShape&,
                          cudaStream_t);
template void fused_steps(const BatchView<double>&, const StepSettings<double>&, int, int, const FusedShape&,
                          cudaStream_t);
template void prepare_fused_steps<float>(std::size_t);
template void prepare_fused_steps<double>(std::size_t);

}  // namespace quartic::cuda
