// Newmark and backward Euler for free bodies, as src/cpu/batch/free_implicit_step.cpp: the iterations of
// implicit_step.cu with the terms of free_body.cuh.
#include "cuda/batch/steps/free_body.cuh"
#include "cuda/batch/steps/newton_iteration.cuh"
#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {
namespace {

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    free_newton_iteration(const BatchView<T> batch, const StepSettings<T> s, bool first, bool last) {
  using Rows = BodyRows<T, in_shared_memory, has_force, has_chambers>;
  const Rows rows(batch);
  std::uint8_t progress = rows.progress();
  const bool at_work = any(progress == step_open);
  if (!any(rows.moves()) || !(at_work || last)) return;
  FreeBody<Rows, System<T, in_shared_memory>::stride> body(rows, rows.frame_memory());
  bool open = false;
  const auto corrected = [&](int i) {
    return open ? rows.increment(i, first) - rows.argument[i * warp_size] : rows.increment(i, first);
  };
  const auto next = [&](int i) { return next_state(rows, s, i, corrected(i)); };
  if (at_work) {
    System<T, in_shared_memory> system = rows.system();
    const StiffnessRows<T> stiffness{rows.h(batch.h), 1, nullptr, 0};
    const auto load = [&] {
      load_stiffness(rows, system, stiffness, [&](int k) { return *rows.point(batch.points, k - 1); });
    };
    begin_point(rows, system, batch.points);
    make_residual(rows, system, s, first, [&] { complete_stiffness(rows, system, stiffness); });
    const SystemTerms<T> terms = correction_terms(rows, s);
    const T squares = body.make_terms(s, first, terms.scales.stiffness, true);
    progress = progress_behind(s, progress, [&] { return squares; });
    open = progress == step_open;
    if (any(open)) {
      const SolveResult result =
          solve(system, load, terms, open, rows.residual, rows.solution, rows.argument, [&](auto& k) {
            add_strain_damping_to(rows, k, s.a4, terms.scales.stiffness);
            body.update(k);
          });
      if (result.regularised && rows.lane.valid && rows.warp == 0) batch.status[rows.lane.body] = status_regularised;
      if (result.unsolvable) progress = step_failed;
    }
  }
  body.finish(first, next);
  if (last) return accept(rows, progress, next, body);
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
    launch(free_newton_iteration<T, in_shared_memory, has_force, has_chambers>, step_launch<T>(shape, in_shared_memory),
           stream, batch, settings, n == 0, n + 1 == settings.newton_iterations);
  }
}

template <class T>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1) make_momenta(const BatchView<T> batch) {
  using Rows = BodyRows<T, false>;
  const Rows rows(batch);
  FreeBody<Rows, warp_size>(rows, rows.shared_rows()).begin();
}

}  // namespace

template <class T>
void begin_free_steps(const BatchView<T>& batch, const StepShape& shape, cudaStream_t stream) {
  LaunchShape launch_shape = step_launch<T>(shape, false);
  launch_shape.shared_bytes = step_shared_bytes<T>(shape.rank, false, frame_sums);
  launch(make_momenta<T>, launch_shape, stream, batch);
}

template <class T>
void free_implicit_step(const BatchView<T>& batch, const StepSettings<T>& settings, const StepShape& shape,
                        cudaStream_t stream) {
  with_kernel_form(batch, shape, [&](auto in_shared_memory, auto has_force, auto has_chambers) {
    step<T, in_shared_memory, has_force, has_chambers>(batch, settings, shape, stream);
  });
}

template <class T>
void prepare_free_implicit_step(std::size_t shared_bytes) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    allow_shared_memory(free_newton_iteration<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
  });
}

template <class T>
void prepare_free_steps(std::size_t shared_bytes) {
  allow_shared_memory(make_momenta<T>, shared_bytes);
}

template void begin_free_steps(const BatchView<float>&, const StepShape&, cudaStream_t);
template void begin_free_steps(const BatchView<double>&, const StepShape&, cudaStream_t);
template void free_implicit_step(const BatchView<float>&, const StepSettings<float>&, const StepShape&, cudaStream_t);
template void free_implicit_step(const BatchView<double>&, const StepSettings<double>&, const StepShape&, cudaStream_t);
template void prepare_free_implicit_step<float>(std::size_t);
template void prepare_free_implicit_step<double>(std::size_t);
template void prepare_free_steps<float>(std::size_t);
template void prepare_free_steps<double>(std::size_t);

}  // namespace quartic::cuda
