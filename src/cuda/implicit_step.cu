// Implicit Newmark and backward Euler, as src/cpu/implicit_step.cpp: Newton iterations on
//   residual = a_{n+1} + C v_{n+1} + R(q_{n+1}) - f,   C = alpha I + beta K(q_{n+1}),
// with the unknown d = q_{n+1} - q_n. Each iteration is an evaluation of H and one kernel, the last of which moves on.
//
// A block of P <= 8 warps works on 32 bodies, lane = body. With R = (H_i0 + K q) / 3, C v and R take one product with
// K. Per body r^3/3 + 4 r^2 flops; h_rows + 5 r values read, 4 r written.
#include "cuda/evaluate.hpp"
#include "cuda/step_kernels.cuh"

namespace quartic::cuda {
namespace {

template <class T, bool in_shared_memory>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    newton_iteration(const BatchView<T> batch, const StepSettings<T> s, bool first, bool last) {
  using Rows = BodyRows<T, in_shared_memory>;
  const Rows rows(batch);
  std::uint8_t progress = rows.progress();
  const bool at_work = any(progress == step_open);
  if (!any(rows.moves()) || !(at_work || last)) return;
  const std::int64_t body = rows.lane.body;
  const T alpha = batch.rayleigh_mass[body], beta = batch.rayleigh_stiffness[body];
  const auto next = [&](int i, T increment) -> NextState<T> {
    const std::int64_t at = rows.state(i);
    const T v = batch.velocity[at], a = batch.acceleration[at];
    return {batch.q[at] + increment, s.a4 * increment + s.a5 * v + s.a6 * a, s.a1 * increment - s.a2 * v - s.a3 * a};
  };

  if (!at_work) {
    accept(rows, progress, [&](int i) { return next(i, rows.increment(i, first)); });
    return;
  }

  for (int i = rows.warp; i < rows.padded_rank(); i += rows.warps) {
    T argument = 0, residual = 0;
    if (i < rows.rank) {
      const NextState<T> state = next(i, rows.increment(i, first));
      argument = beta * state.velocity + state.q / 3;
      residual = state.acceleration + alpha * state.velocity + rows.h_zero(batch.h, i) / 3 - rows.end_force(i);
    }
    rows.argument[i * warp_size] = argument;
    rows.residual[i * warp_size] = residual;
  }
  System<T, in_shared_memory> system(rows.rank, rows.matrix);
  const SolveInput<T> input{rows.h(batch.h), 1, nullptr, 0, rows.residual};
  system.load(input);
  system.multiply_add(rows.argument, rows.residual);
  __syncthreads();

  if (s.newton_tolerance > 0 && progress == step_open && sqrt(rows.square_sum(rows.residual)) < s.newton_tolerance)
    progress = step_closed;
  const bool open = progress == step_open;
  if (any(open)) {
    const SolveResult result =
        solve(system, input, 1 + s.a4 * beta, s.a1 + s.a4 * alpha, open, rows.solution, rows.argument);
    if (result.regularised && rows.lane.valid && rows.warp == 0) batch.status[body] = status_regularised;
    if (result.unsolvable) progress = step_failed;
  }

  const auto corrected = [&](int i) {
    return open ? rows.increment(i, first) - rows.argument[i * warp_size] : rows.increment(i, first);
  };
  if (last) {
    accept(rows, progress, [&](int i) { return next(i, corrected(i)); });
    return;
  }
  if (!rows.lane.valid) return;
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const T increment = corrected(i);
    *rows.vector(batch.increment, i) = increment;
    *rows.point(batch.points, i) = batch.q[rows.state(i)] + increment;
  }
  if (rows.warp == 0) batch.progress[body] = progress;
}

template <class T, bool in_shared_memory>
void step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape, cudaStream_t stream) {
  for (int n = 0; n < settings.newton_iterations; ++n) {
    evaluate(batch, shape, stream);
    launch(newton_iteration<T, in_shared_memory>, step_launch<T>(shape, in_shared_memory), stream, batch, settings,
           n == 0, n + 1 == settings.newton_iterations);
  }
}

}  // namespace

template <class T>
void implicit_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                   cudaStream_t stream) {
  if (shape.system_in_shared_memory)
    step<T, true>(batch, settings, shape, stream);
  else
    step<T, false>(batch, settings, shape, stream);
}

template <class T>
void prepare_implicit_step(std::size_t shared_bytes) {
  allow_shared_memory(newton_iteration<T, true>, shared_bytes);
  allow_shared_memory(newton_iteration<T, false>, shared_bytes);
}

template void implicit_step(const BatchView<float>&, const StepSettings<float>&, const StepShape&, cudaStream_t);
template void implicit_step(const BatchView<double>&, const StepSettings<double>&, const StepShape&, cudaStream_t);
template void prepare_implicit_step<float>(std::size_t);
template void prepare_implicit_step<double>(std::size_t);

}  // namespace quartic::cuda
