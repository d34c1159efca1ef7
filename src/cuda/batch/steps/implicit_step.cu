// Implicit Newmark and backward Euler: each Newton iteration (newton_iteration.cuh) is an evaluation of H and one
// kernel, the last of which moves on.
//
// A block of P <= 8 warps works on 32 bodies, lane = body. Per body r^3/3 + 4 r^2 flops; h_rows + 5 r values read,
// 4 r written.
#include "cuda/batch/steps/newton_iteration.cuh"
#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {
namespace {

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    newton_iteration(const BatchView<T> batch, const StepSettings<T> s, bool first, bool last) {
  const BodyRows<T, in_shared_memory, has_force, has_chambers> rows(batch);
  std::uint8_t progress = rows.progress();
  const bool at_work = any(progress == step_open);
  if (!any(rows.moves()) || !(at_work || last)) return;
  bool open = false;
  if (at_work) {
    System<T, in_shared_memory> system = rows.system();
    const StiffnessRows<T> stiffness{rows.h(batch.h), 1, nullptr, 0};
    const auto load = [&] {
      load_stiffness(rows, system, stiffness, [&](int k) { return *rows.point(batch.points, k - 1); });
    };
    begin_point(rows, system, batch.points);
    make_residual(rows, system, s, first, [&] { complete_stiffness(rows, system, stiffness); });
    progress = progress_behind(s, progress, [&] { return rows.square_sum(rows.residual); });
    open = progress == step_open;
    if (any(open)) {
      const SystemTerms<T> terms = correction_terms(rows, s);
      const SolveResult result = solve(system, load, terms, open, rows.residual, rows.solution, rows.argument,
                                       [&](auto& k) { add_strain_damping_to(rows, k, s.a4, terms.scales.stiffness); });
      if (result.regularised && rows.lane.valid && rows.warp == 0) batch.status[rows.lane.body] = status_regularised;
      if (result.unsolvable) progress = step_failed;
    }
  }
  const auto corrected = [&](int i) {
    return open ? rows.increment(i, first) - rows.argument[i * warp_size] : rows.increment(i, first);
  };
  if (last) {
    accept(rows, progress, [&](int i) { return next_state(rows, s, i, corrected(i)); });
    return;
  }
  if (!rows.lane.valid) return;
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const T increment = corrected(i);
    *rows.vector(batch.increment, i) = increment;
    *rows.point(batch.points, i) = batch.q[rows.state(i)] + increment;
  }
  if (rows.warp == 0) batch.progress[rows.lane.body] = progress;
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
void step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape, cudaStream_t stream) {
  for (int n = 0; n < settings.newton_iterations; ++n) {
    evaluate(batch, shape, stream);
    launch(newton_iteration<T, in_shared_memory, has_force, has_chambers>, step_launch<T>(shape, in_shared_memory),
           stream, batch, settings, n == 0, n + 1 == settings.newton_iterations);
  }
}

}  // namespace

template <class T>
void implicit_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                   cudaStream_t stream) {
  with_kernel_form(batch, shape, [&](auto in_shared_memory, auto has_force, auto has_chambers) {
    step<T, in_shared_memory, has_force, has_chambers>(batch, settings, shape, stream);
  });
}

template <class T>
void prepare_implicit_step(std::size_t shared_bytes) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    allow_shared_memory(newton_iteration<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
  });
}

template void implicit_step(const BatchView<float>&, const StepSettings<float>&, const StepShape&, cudaStream_t);
template void implicit_step(const BatchView<double>&, const StepSettings<double>&, const StepShape&, cudaStream_t);
template void prepare_implicit_step<float>(std::size_t);
template void prepare_implicit_step<double>(std::size_t);

}  // namespace quartic::cuda
