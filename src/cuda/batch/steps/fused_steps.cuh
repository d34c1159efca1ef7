// A whole step of implicit Newmark or backward Euler in one kernel, many steps per launch: H of a block's bodies, made
// as in evaluate.cu or tensor_evaluate.cu, stays in shared memory, where a Newton iteration (newton_iteration.cuh)
// turns it into the next point.
//
// A block of W warps has 32 `width` bodies. For the product its warps share out the rows of H, in several passes where
// these are more than the warps sum at once; for the rest of the iteration the warps share out the groups of 32 bodies,
// lane = body, and a group's warps the rows of its bodies. Where a system needs a shift, all of the block's bodies are
// evaluated again, since the factor has replaced K: the same bits for those that need none. What chambers add to H
// (fused_chambers.cuh) is there before the product, which then adds to it.
//
// Shared memory: see fused_bodies.cuh. Per body and Newton iteration 2 h_rows (r+1)(r+2)/2 + r^3/3 + 4 r^2 flops; per
// step 4 r values read and 3 r written; coefficients are read once per block and iteration, from L2.
//
// For the two sources that compile the kernels, of bodies without chambers and with: all is in an anonymous namespace.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "cuda/batch/steps/free_body.cuh"
#include "cuda/batch/steps/fused_bodies.cuh"
#include "cuda/batch/steps/fused_chambers.cuh"
#include "cuda/batch/steps/fused_product.cuh"
#include "cuda/batch/steps/fused_step.hpp"
#include "cuda/batch/steps/fused_tensor_product.cuh"
#include "cuda/batch/steps/newton_iteration.cuh"

namespace quartic::cuda {
namespace {

// Where each row of H goes among a body's rows, and what its monomials are products of.
template <class T, int width>
__device__ void make_tables(const ModelView<T>& model, bool on_tensor_cores, const FusedMemory<T, width>& memory) {
  const int rank = model.rank, thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = thread; i < rank; i += threads) {
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
  for (int n = thread; n < fused_pairs(rank, on_tensor_cores); n += threads) memory.pairs[n] = model.pairs[n];
}

template <class Product, class T, int width>
__device__ void prepare(const BatchView<T>& batch, const FusedLayout& layout) {
  const FusedRows<T, width> rows(batch, layout);
  make_tables(rows.lane.model, Product::on_tensor_cores, FusedMemory<T, width>(rows.rank, layout));
  if (rows.warp == 0) *rows.points = 1;
  for (int i = rows.warp; i < rows.rank; i += rows.warps)
    *rows.point(nullptr, i) = rows.lane.valid ? batch.q[rows.state(i)] : T{0};
}

// What bodies are, as a type.
template <bool free, bool with_chambers>
struct BodyKind {
  static constexpr bool is_free = free, has_chambers = with_chambers;
};

__device__ bool any_of_block(bool x) {
  return __syncthreads_or(x ? 1 : 0) != 0;
}

// Where a body's step is, in one word: it lives through the product, which leaves few registers.
class Course {
 public:
  __device__ explicit Course(std::uint8_t progress) : word_(progress) {}
  [[nodiscard]] __device__ std::uint8_t progress() const { return static_cast<std::uint8_t>(word_ & 0xFF); }
  __device__ void set_progress(std::uint8_t progress) { word_ = (word_ & ~0xFF) | progress; }
  [[nodiscard]] __device__ bool is_open() const { return progress() == step_open; }

  // The rule of shifts: tries of the block, shifts of this body, and whether its matrix had no factor at the last try.
  [[nodiscard]] __device__ int tries() const { return word_ >> 8 & 0xFF; }
  [[nodiscard]] __device__ int shifts() const { return word_ >> 16 & 0xFF; }
  [[nodiscard]] __device__ bool failed() const { return (word_ >> 24 & 1) != 0; }
  __device__ void begin_tries() { word_ = word_ & 0xFF; }
  __device__ void note(bool failed) { word_ = (word_ & ~(1 << 24)) | (failed ? 1 << 24 : 0); }
  __device__ void try_again() {
    const int next = tries() + 1;
    word_ = progress() | next << 8 | (failed() ? next : shifts()) << 16 | (word_ & 1 << 24);
  }
  // Keeps the compiler from taking it apart.
  __device__ void keep_together() { word_ = recomputed(word_); }

 private:
  int word_;
};

// The shift of a body behind `shifts` tries at which it had none that helped, while K is there.
template <class T>
[[nodiscard]] __device__ T shift_behind(const System<T, true>& system, const SystemTerms<T>& terms, int shifts) {
  if (shifts == 0) return 0;
  T next = first_shift(system.mean_diagonal(terms)), shift = take_shift(next);
  for (int n = 1; n < shifts; ++n) shift = take_shift(next);
  return shift;
}

// What free bodies add to K and, where that is new, to the residual. @return see FreeBody::make_terms
template <bool is_free, class T, int width>
__device__ T add_frame(const FusedRows<T, width>& rows, System<T, true>& system, const StepSettings<T>& s, bool first,
                       const SystemTerms<T>& terms, bool is_new) {
  if constexpr (is_free) {
    FreeBody<FusedRows<T, width>, warp_size> body(rows, rows.frame_memory);
    const T squares = body.make_terms(s, first, terms.scales.stiffness, is_new);
    body.update(system);
    return squares;
  } else {
    return 0;
  }
}

// A Newton iteration: leaves the correction of bodies at work in `argument`, and changes how far their step is. H is
// evaluated again until all of the block's systems have a factor.
// @return whether the body is to be corrected
template <class Product, class Kind, class T, int width>
__device__ bool iterate(const BatchView<T>& batch, const StepSettings<T>& s, const FusedLayout& layout, bool first,
                        Course& course) {
  for (course.begin_tries();; course.try_again()) {
    course.keep_together();
    if constexpr (Kind::has_chambers) FusedChambers<T, width>(batch, layout).begin();
    Product(batch, layout).evaluate();
    course.keep_together();
    const FusedRows<T, width> rows(batch, layout);
    System<T, true> system = rows.system();
    SystemTerms<T> terms = correction_terms(rows, s);
    const bool is_new = course.tries() == 0;
    if (is_new) make_residual(rows, system, s, first, [] { __syncthreads(); });
    const T squares = add_frame<Kind::is_free>(rows, system, s, first, terms, is_new);
    if (is_new) {
      course.set_progress(progress_behind(s, course.progress(),
                                          [&] { return Kind::is_free ? squares : rows.square_sum(rows.residual); }));
      if (!any_of_block(course.is_open())) return false;
    } else {
      terms.shift = shift_behind(system, terms, course.shifts());
    }
    const bool open = course.is_open();
    course.note(!system.factorize(terms, rows.residual, rows.solution) && open);
    if (any_of_block(course.failed()) && course.tries() < regularisation_tries) continue;
    system.substitute(rows.solution, rows.argument);
    if ((course.shifts() > 0 || course.failed()) && rows.lane.valid && rows.warp == 0)
      batch.status[rows.lane.body] = status_regularised;
    if (course.failed()) course.set_progress(step_failed);
    return open;
  }
}

// Ends a Newton iteration: accepts the new state if it was the last one, else makes the next point.
template <class Product, bool is_free, class T, int width>
__device__ void move_on(const BatchView<T>& batch, const StepSettings<T>& s, const FusedLayout& layout, bool first,
                        bool last, bool open, const Course& course) {
  const FusedRows<T, width> rows(batch, layout);
  const auto corrected = [&](int i) {
    return open ? rows.increment(i, first) - rows.argument[i * warp_size] : rows.increment(i, first);
  };
  const auto next = [&](int i) { return next_state(rows, s, i, corrected(i)); };
  if constexpr (is_free) {
    FreeBody<FusedRows<T, width>, warp_size> body(rows, rows.frame_memory);
    body.finish(first, next);
    if (last) return accept(rows, course.progress(), next, body);
  } else {
    if (last) return accept(rows, course.progress(), next);
  }
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const T increment = corrected(i);
    rows.increments[i * warp_size] = increment;
    *rows.point(nullptr, i) = rows.lane.valid ? batch.q[rows.state(i)] + increment : T{0};
  }
}

template <class T, int width, class Kind, template <class, int, bool> class Product>
__device__ void take_steps(const BatchView<T>& batch, const StepSettings<T>& s, const FusedLayout& layout,
                           int substeps) {
  using P = Product<T, width, Kind::has_chambers>;
  if (!fused_lane_bodies<T, width>(batch).valid) return;
  prepare<P, T, width>(batch, layout);
  for (int n = 0; n < substeps; ++n) {
    Course course(FusedRows<T, width>(batch, layout).moves() ? step_open : step_closed);
    if (!any_of_block(course.is_open())) return;
    for (int k = 0; k < s.newton_iterations; ++k) {
      const bool open = any_of_block(course.is_open()) && iterate<P, Kind, T, width>(batch, s, layout, k == 0, course);
      move_on<P, Kind::is_free, T, width>(batch, s, layout, k == 0, k + 1 == s.newton_iterations, open, course);
    }
    __syncthreads();  // who diverged is known
  }
}

template <class T, int width, bool is_free, bool has_chambers>
__global__ void __launch_bounds__(fused_threads<T>, 1)
    fused_newton_steps(const BatchView<T> batch, const StepSettings<T> s, const FusedLayout layout, int substeps) {
  take_steps<T, width, BodyKind<is_free, has_chambers>, FusedProduct>(batch, s, layout, substeps);
}

template <class T, int width, bool is_free, bool has_chambers>
__global__ void __launch_bounds__(fused_tensor_threads<T>, 1)
    fused_newton_steps_on_tensor_cores(const BatchView<T> batch, const StepSettings<T> s, const FusedLayout layout,
                                       int substeps) {
  take_steps<T, width, BodyKind<is_free, has_chambers>, FusedTensorProduct>(batch, s, layout, substeps);
}

template <class T, int width, bool is_free, bool has_chambers>
void start_kind(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, const StepShape& chunk,
                const FusedShape& shape, cudaStream_t stream) {
  constexpr int parts = tile_bodies / (warp_size * width);
  launch(shape.on_tensor_cores ? fused_newton_steps_on_tensor_cores<T, width, is_free, has_chambers>
                               : fused_newton_steps<T, width, is_free, has_chambers>,
         {dim3(static_cast<unsigned>(chunk.tiles * parts)), dim3(static_cast<unsigned>(shape.warps * warp_size)),
          shape.shared_bytes},
         stream, batch, settings, fused_layout<T>(chunk.rank, shape, settings.newton_iterations > 1), substeps);
}

template <int width, bool has_chambers, class T>
void start_width(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, const StepShape& chunk,
                 const FusedShape& shape, cudaStream_t stream) {
  return shape.has_frame ? start_kind<T, width, true, has_chambers>(batch, settings, substeps, chunk, shape, stream)
                         : start_kind<T, width, false, has_chambers>(batch, settings, substeps, chunk, shape, stream);
}

template <class T, int width, bool has_chambers>
void prepare_width(std::size_t shared_bytes) {
  allow_shared_memory(fused_newton_steps<T, width, false, has_chambers>, shared_bytes);
  allow_shared_memory(fused_newton_steps<T, width, true, has_chambers>, shared_bytes);
  allow_shared_memory(fused_newton_steps_on_tensor_cores<T, width, false, has_chambers>, shared_bytes);
  allow_shared_memory(fused_newton_steps_on_tensor_cores<T, width, true, has_chambers>, shared_bytes);
}

// Widths that have a kernel.
template <class T>
constexpr bool are_known(std::span<const FusedWidth> widths) {
  for (const FusedWidth& w : widths)
    if (w.width != 1 && w.width != 2 && (w.width != 4 || sizeof(T) == 8)) return false;
  return true;
}
static_assert(are_known<float>(fused_widths<float>) && are_known<float>(tensor_widths<float>));
static_assert(are_known<double>(fused_widths<double>) && are_known<double>(tensor_widths<double>));

template <bool has_chambers, class T>
void start_fused(const BatchView<T>& batch, const StepSettings<T>& settings, int substeps, const StepShape& chunk,
                 const FusedShape& shape, cudaStream_t stream) {
  if (shape.width == 1) return start_width<1, has_chambers>(batch, settings, substeps, chunk, shape, stream);
  if (shape.width == 2) return start_width<2, has_chambers>(batch, settings, substeps, chunk, shape, stream);
  if constexpr (sizeof(T) == 4) start_width<4, has_chambers>(batch, settings, substeps, chunk, shape, stream);
}

template <class T, bool has_chambers>
void prepare_fused(std::size_t shared_bytes) {
  prepare_width<T, 1, has_chambers>(shared_bytes);
  prepare_width<T, 2, has_chambers>(shared_bytes);
  if constexpr (sizeof(T) == 4) prepare_width<T, 4, has_chambers>(shared_bytes);
}

}  // namespace
}  // namespace quartic::cuda
