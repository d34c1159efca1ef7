// The energy-conserving scheme for free bodies, as src/cpu/batch/free_energy_conserving_step.cpp: the iterations of
// energy_conserving_step.cu with the terms of free_body.cuh. They converge linearly, so that more of them are started;
// blocks whose bodies have all converged return at once.
#include "cuda/batch/steps/free_body.cuh"
#include "cuda/batch/steps/gauss_iteration.cuh"
#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {
namespace {

// The increment that is tried first: that of the velocity.
template <class T>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    try_increments(const BatchView<T> batch, const StepSettings<T> s, const GaussShares<T> share) {
  const BodyRows<T, false> rows(batch);
  if (!rows.lane.valid) return;
  for (int i = rows.warp; i < rows.rank; i += rows.warps)
    *rows.vector(batch.increment, i) = s.dt * batch.velocity[rows.state(i)];
  correct_increments(rows, share, false, false);
}

template <class T, class Rows>
[[nodiscard]] __device__ RowState<T> increased_state(const Rows& rows, const StepSettings<T>& s, int i) {
  const std::int64_t at = rows.state(i);
  return conserving_state(s, rows.batch.q[at], rows.batch.velocity[at], rows.increment(i, false));
}

template <class T, class Rows, class Body>
__device__ bool converged(const Rows& rows, const Body& body, const StepSettings<T>& s, T squares, bool first) {
  T scale = 0;
  for (int i = 0; i < rows.rank; ++i) {
    const T velocity = rows.batch.velocity[rows.state(i)];
    const T term = conserving_term(s, rows.increment(i, false), velocity, rows.mean_force(i)) + body.term_size(i);
    scale += term * term;
  }
  return free_converged(squares, scale, first, first ? T{0} : rows.batch.last_squares[rows.lane.body]);
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    free_gauss_iteration(const BatchView<T> batch, const StepSettings<T> s, const GaussShares<T> share, bool first) {
  using Rows = BodyRows<T, in_shared_memory, has_force, has_chambers>;
  const Rows rows(batch);
  const std::int64_t number = rows.lane.body;
  std::uint8_t progress = rows.progress();
  if (!any(progress == step_open)) return;
  const T alpha = batch.rayleigh_mass[number], damping = gauss_damping(s, batch.rayleigh_stiffness[number]);

  FreeBody<Rows, System<T, in_shared_memory>::stride> body(rows, rows.frame_memory());
  body.finish(first, [&](int i) { return increased_state(rows, s, i); });
  System<T, in_shared_memory> system = rows.system();
  make_mean_residual(rows, system, s, alpha, damping, false);
  body.make_mean_terms([&](int i) { return rows.increment(i, false); });

  const T squares = rows.square_sum(rows.residual);
  if (progress == step_open && converged(rows, body, s, squares, first)) progress = step_closed;
  const bool open = progress == step_open;
  if (any(open)) {
    const StiffnessRows<T> stiffness = mean_stiffness(rows, share, damping);
    const auto load = [&] { load_mean_stiffness(rows, system, stiffness); };
    load();
    const SystemTerms<T> terms{conserving_system(s, alpha), 0};
    const SolveResult result =
        solve(system, load, terms, open, rows.residual, rows.solution, rows.argument, [&](auto& k) {
          add_strain_damping_to(rows, k, 1 / s.dt, terms.scales.stiffness);
          body.update(k);
        });
    if (result.regularised && rows.lane.valid && rows.warp == 0) batch.status[number] = status_regularised;
    if (result.unsolvable) progress = step_failed;
  }
  __syncthreads();  // everyone has read `last_squares` and the increments
  if (!rows.lane.valid) return;
  correct_increments(rows, share, false, open);
  if (rows.warp == 0) batch.progress[number] = progress, batch.last_squares[number] = squares;
}

template <class T, bool in_shared_memory>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    finish_free_steps(const BatchView<T> batch, const StepSettings<T> s) {
  using Rows = BodyRows<T, in_shared_memory>;
  const Rows rows(batch);
  if (!any(rows.moves())) return;
  const std::uint8_t progress = rows.progress();
  if (progress == step_open && rows.warp == 0) batch.flags[rows.lane.body] |= flag_not_converged;
  FreeBody<Rows, System<T, in_shared_memory>::stride> body(rows, rows.frame_memory());
  const auto next = [&](int i) { return increased_state(rows, s, i); };
  body.finish(false, next);
  accept(rows, progress, next, body);
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
void step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape, cudaStream_t stream) {
  const LaunchShape launch_shape = step_launch<T>(shape, in_shared_memory);
  launch(try_increments<T>, step_launch<T>(shape, false), stream, batch, settings, GaussShares<T>{});
  for (int n = 0; n < free_conserving_iterations; ++n) {
    evaluate(batch, shape, stream);
    launch(free_gauss_iteration<T, in_shared_memory, has_force, has_chambers>, launch_shape, stream, batch, settings,
           GaussShares<T>{}, n == 0);
  }
  launch(finish_free_steps<T, in_shared_memory>, launch_shape, stream, batch, settings);
}

}  // namespace

template <class T>
void free_energy_conserving_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                                 cudaStream_t stream) {
  with_kernel_form(batch, shape, [&](auto in_shared_memory, auto has_force, auto has_chambers) {
    step<T, in_shared_memory, has_force, has_chambers>(batch, settings, shape, stream);
  });
}

template <class T>
void prepare_free_energy_conserving_step(std::size_t shared_bytes) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    allow_shared_memory(free_gauss_iteration<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
  });
  allow_shared_memory(finish_free_steps<T, false>, shared_bytes);
  allow_shared_memory(finish_free_steps<T, true>, shared_bytes);
  allow_shared_memory(try_increments<T>, shared_bytes);
}

template void free_energy_conserving_step(const BatchView<float>&, const StepSettings<float>&, const StepShape&,
                                          cudaStream_t);
template void free_energy_conserving_step(const BatchView<double>&, const StepSettings<double>&, const StepShape&,
                                          cudaStream_t);
template void prepare_free_energy_conserving_step<float>(std::size_t);
template void prepare_free_energy_conserving_step<double>(std::size_t);

}  // namespace quartic::cuda
