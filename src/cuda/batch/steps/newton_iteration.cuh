// A Newton iteration of implicit Newmark and backward Euler, as src/cpu/batch/implicit_step.cpp, on
//   residual = a_{n+1} + C v_{n+1} + R(q_{n+1}) - f,   C = alpha I + beta K(q_{n+1}),
// with the unknown d = q_{n+1} - q_n. With R = (H_i0 + K q) / 3, C v and R take one product with K;
// where R comes from strains, C v alone does.
#pragma once

#include "cuda/batch/steps/chambers.cuh"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/batch/steps/strain_damping.cuh"

namespace quartic::cuda {

/// One row of the state behind an increment d.
template <class Rows, class T>
[[nodiscard]] __device__ RowState<T> next_state(const Rows& rows, const StepSettings<T>& s, int i, T increment) {
  const std::int64_t at = rows.state(i);
  return implicit_state(s, {rows.batch.q[at], rows.batch.velocity[at], rows.batch.acceleration[at]}, increment);
}

/// Into `residual`, given H. `load_stiffness()` puts K into `system` and ends with a barrier. Ends with one.
template <class Rows, class S, class T, class Load>
__device__ void make_residual(const Rows& rows, S& system, const StepSettings<T>& s, bool first,
                              const Load& load_stiffness) {
  struct Row {
    RowState<T> state;
    T rest, force;
  };
  const BatchView<T>& batch = rows.batch;
  const T alpha = batch.rayleigh_mass[rows.lane.body], beta = batch.rayleigh_stiffness[rows.lane.body];
  const T stiffness = batch.stiffness_scale[rows.lane.body];
  for_rows(
      rows,
      [&](int i) -> Row {
        return {next_state(rows, s, i, rows.increment(i, first)), stiffness * force_rest(rows, batch.h, i),
                rows.end_force(i)};
      },
      [&](int i, const Row& row) {
        rows.argument[i * warp_size] = stiffness * plus_force_argument(rows, beta * row.state.velocity, row.state.q);
        rows.residual[i * warp_size] =
            implicit_residual(row.state.acceleration, alpha, row.state.velocity, row.rest, row.force);
      });
  for (int i = rows.rank + rows.warp; i < rows.padded_rank(); i += rows.warps)
    rows.argument[i * warp_size] = rows.residual[i * warp_size] = 0;
  load_stiffness();
  system.multiply_add(rows.argument, rows.residual);
  __syncthreads();
  add_strain_damping(rows, [&](int i) { return next_state(rows, s, i, rows.increment(i, first)).velocity; });
}

/// How far the body's step is: closed where what is left of its equations is below the tolerance.
/// @param squares callable: the sum of the squares of that
template <class T, class Squares>
[[nodiscard]] __device__ std::uint8_t progress_behind(const StepSettings<T>& s, std::uint8_t progress,
                                                      const Squares& squares) {
  const bool converged = s.newton_tolerance > 0 && progress == step_open && implicit_converged(s, squares());
  return converged ? step_closed : progress;
}

/// The system of the correction.
template <class Rows, class T>
[[nodiscard]] __device__ SystemTerms<T> correction_terms(const Rows& rows, const StepSettings<T>& s) {
  const T alpha = rows.batch.rayleigh_mass[rows.lane.body], beta = rows.batch.rayleigh_stiffness[rows.lane.body];
  return {implicit_system(s, alpha, beta, rows.batch.stiffness_scale[rows.lane.body]), 0};
}

}  // namespace quartic::cuda
