// Explicit central differences as kick, drift, kick: see src/cpu/batch/central_differences_step.cpp for the scheme.
//
// Two kernels, each behind an evaluation of H, with the shapes of implicit_step.cu; the half-step velocity goes from
// one to the other.
#include "cuda/batch/steps/chambers.cuh"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/batch/steps/strain_damping.cuh"
#include "cuda/energy/evaluator.hpp"

namespace quartic::cuda {
namespace {

// Into `residual`: f - R(q) - C(q) v for v = half-step velocity, given H at q; `force(i)` and `half_velocity(i)` tell
// them. Ends with a barrier.
template <class T, bool in_shared_memory, bool has_force, bool has_chambers, class Force, class Velocity>
__device__ void make_acceleration(const BodyRows<T, in_shared_memory, has_force, has_chambers>& rows,
                                  const Force& force, const Velocity& half_velocity) {
  const BatchView<T>& batch = rows.batch;
  const T alpha = batch.rayleigh_mass[rows.lane.body], beta = batch.rayleigh_stiffness[rows.lane.body];
  const T stiffness = batch.stiffness_scale[rows.lane.body];
  System<T, in_shared_memory> system = rows.system();
  begin_point(rows, system, batch.points);
  for (int i = rows.warp; i < rows.padded_rank(); i += rows.warps) {
    T argument = 0, acceleration = 0;
    if (i < rows.rank) {
      const T v = half_velocity(i);
      argument = -stiffness * plus_force_argument(rows, beta * v, *rows.point(batch.points, i));
      acceleration = explicit_acceleration(force(i), alpha * v, stiffness * force_rest(rows, batch.h, i));
    }
    rows.argument[i * warp_size] = argument;
    rows.residual[i * warp_size] = acceleration;
  }
  complete_stiffness(rows, system, StiffnessRows<T>{rows.h(batch.h), 1, nullptr, 0});
  system.multiply_add(rows.argument, rows.residual);
  __syncthreads();
  add_strain_damping(rows, [&](int i) { return -half_velocity(i); });
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    kick_and_drift(const BatchView<T> batch, const StepSettings<T> s) {
  const BodyRows<T, in_shared_memory, has_force, has_chambers> rows(batch);
  if (!any(rows.moves())) return;
  const T half = s.dt / 2;
  make_acceleration(
      rows, [&](int i) { return rows.start_force(i); },
      [&](int i) { return kicked(batch.velocity[rows.state(i)], -half, batch.acceleration[rows.state(i)]); });
  if (!rows.lane.valid) return;
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    const T half_velocity = kicked(batch.velocity[rows.state(i)], half, rows.residual[i * warp_size]);
    *rows.vector(batch.increment, i) = half_velocity;
    *rows.point(batch.points, i) = drifted(batch.q[rows.state(i)], s, half_velocity);
  }
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
__global__ void __launch_bounds__(most_step_warps* warp_size, 1)
    second_kick(const BatchView<T> batch, const StepSettings<T> s) {
  const BodyRows<T, in_shared_memory, has_force, has_chambers> rows(batch);
  if (!any(rows.moves())) return;
  const auto half_velocity = [&](int i) { return rows.increment(i, false); };
  make_acceleration(
      rows, [&](int i) { return rows.end_force(i); }, half_velocity);
  accept(rows, step_open, [&](int i) -> RowState<T> {
    const T v = half_velocity(i), acceleration = rows.residual[i * warp_size];
    return {drifted(batch.q[rows.state(i)], s, v), kicked(v, s.dt / 2, acceleration), acceleration};
  });
}

template <class T, bool in_shared_memory, bool has_force, bool has_chambers>
void step(const BatchView<T>& batch, const StepSettings<T>& settings, bool h_is_current, const StepShape& shape,
          cudaStream_t stream) {
  if (!h_is_current) evaluate(batch, shape, stream);
  launch(kick_and_drift<T, in_shared_memory, has_force, has_chambers>, step_launch<T>(shape, in_shared_memory), stream,
         batch, settings);
  evaluate(batch, shape, stream);
  launch(second_kick<T, in_shared_memory, has_force, has_chambers>, step_launch<T>(shape, in_shared_memory), stream,
         batch, settings);
}

}  // namespace

template <class T>
void central_differences_step(const BatchView<T>& batch, const StepSettings<T>& settings, bool h_is_current,
                              const StepShape& shape, cudaStream_t stream) {
  with_kernel_form(batch, shape, [&](auto in_shared_memory, auto has_force, auto has_chambers) {
    step<T, in_shared_memory, has_force, has_chambers>(batch, settings, h_is_current, shape, stream);
  });
}

template <class T>
void prepare_central_differences_step(std::size_t shared_bytes) {
  for_all_kernel_forms([&](auto in_shared_memory, auto has_force, auto has_chambers) {
    allow_shared_memory(kick_and_drift<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
    allow_shared_memory(second_kick<T, in_shared_memory, has_force, has_chambers>, shared_bytes);
  });
}

template void central_differences_step(const BatchView<float>&, const StepSettings<float>&, bool, const StepShape&,
                                       cudaStream_t);
template void central_differences_step(const BatchView<double>&, const StepSettings<double>&, bool, const StepShape&,
                                       cudaStream_t);
template void prepare_central_differences_step<float>(std::size_t);
template void prepare_central_differences_step<double>(std::size_t);

}  // namespace quartic::cuda
