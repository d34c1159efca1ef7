// The discrete gradient by two Gauss points: see src/cpu/batch/energy_conserving_step.cpp for the scheme.
//
// Each Newton iteration evaluates H at both points and runs one kernel with the shapes of implicit_step.cu. All
// iterations are started, since the host never looks; blocks whose bodies have all converged return at once.
#include "cuda/batch/steps/gauss_iteration.cuh"
#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {
namespace {

template <class T, class Rows>
__device__ bool converged(const Rows& rows, const StepSettings<T>& s, T squares, bool first) {
  T scale = 0;
  for (int i = 0; i < rows.rank; ++i) {
    const T term = conserving_term(s, rows.increment(i, first), rows.batch.velocity[rows.state(i)], rows.mean_force(i));
    scale += term * term;
  }
  return conserving_converged(squares, scale, first, first ? T{0} : rows.batch.last_squares[rows.lane.body]);
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    gauss_iteration(const BatchView<T> batch, const StepSettings<T> s, const GaussShares<T> share, bool first) {
  using Rows = BodyRows<T, in_shared_memory, has_force, has_chambers>;
  const Rows rows(batch);
  const std::int64_t body = rows.lane.body;
  std::uint8_t progress = rows.progress();
  if (!any(progress == step_open)) return;
  const T alpha = batch.rayleigh_mass[body], damping = gauss_damping(s, batch.rayleigh_stiffness[body]);

  System<T, in_shared_memory> system = rows.system();
  make_mean_residual(rows, system, s, alpha, damping, first);

  const T squares = rows.square_sum(rows.residual);
  if (progress == step_open && converged(rows, s, squares, first)) progress = step_closed;
  const bool open = progress == step_open;
  if (any(open)) {
    const StiffnessRows<T> stiffness = mean_stiffness(rows, share, damping);
    const auto load = [&] { load_mean_stiffness(rows, system, stiffness); };
    load();
    const SystemTerms<T> terms{conserving_system(s, alpha), 0};
    const SolveResult result =
        solve(system, load, terms, open, rows.residual, rows.solution, rows.argument,
              [&](auto& k) { add_strain_damping_to(rows, k, 1 / s.dt, terms.scales.stiffness); });
    if (result.regularised && rows.lane.valid && rows.warp == 0) batch.status[body] = status_regularised;
    if (result.unsolvable) progress = step_failed;
  }
  __syncthreads();  // everyone has read `last_squares`
  if (!rows.lane.valid) return;
  correct_increments(rows, share, first, open);
  if (rows.warp == 0) batch.progress[body] = progress, batch.last_squares[body] = squares;
}

template <class T>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    finish(const BatchView<T> batch, const StepSettings<T> s) {
  const BodyRows<T, false> rows(batch);
  if (!any(rows.moves())) return;
  const std::uint8_t progress = rows.progress();
  if (progress == step_open && rows.warp == 0) batch.flags[rows.lane.body] |= flag_not_converged;
  accept(rows, progress, [&](int i) -> RowState<T> {
    const T increment = rows.increment(i, false), v = batch.velocity[rows.state(i)];
    return conserving_state(s, batch.q[rows.state(i)], v, increment);
  });
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
void step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape, cudaStream_t stream) {
  for (int n = 0; n < energy_conserving_iterations; ++n) {
    evaluate(batch, shape, stream);
    launch(gauss_iteration<T, in_shared_memory, has_force, has_chambers>, step_launch<T>(shape, in_shared_memory),
           stream, batch, settings, GaussShares<T>{}, n == 0);
  }
  launch(finish<T>, step_launch<T>(shape, false), stream, batch, settings);
}

}  // namespace

template <class T>
void energy_conserving_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                            cudaStream_t stream) {
  with_kernel_form(batch, shape, [&](auto in_shared_memory, auto has_force, auto has_chambers) {
    step<T, in_shared_memory, has_force, has_chambers>(batch, settings, shape, stream);
  });
}

template <class T>
void prepare_energy_conserving_step(std::size_t shared_bytes) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    allow_shared_memory(gauss_iteration<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
  });
  allow_shared_memory(finish<T>, shared_bytes);
}

template void energy_conserving_step(const BatchView<float>&, const StepSettings<float>&, const StepShape&,
                                     cudaStream_t);
template void energy_conserving_step(const BatchView<double>&, const StepSettings<double>&, const StepShape&,
                                     cudaStream_t);
template void prepare_energy_conserving_step<float>(std::size_t);
template void prepare_energy_conserving_step<double>(std::size_t);

}  // namespace quartic::cuda
