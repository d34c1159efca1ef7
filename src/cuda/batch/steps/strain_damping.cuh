// Damping by strain rates of 32 bodies, one body per lane: what their D(q) / tau adds to the residual and to the
// system.
//
// D comes from cuda/energy/strain_damping_evaluator.cu. Per body 2 r^2 flops for the force and r^2 for the system; r^2
// values read for the first and half of them for the second. Bodies that aren't damped keep their bits, whatever D is
// there.
#pragma once

#include "cuda/batch/steps/step_kernels.cuh"

namespace quartic::cuda {

/// tau of this thread's body times the scale of its stiffness, 0 for none.
template <class Rows>
[[nodiscard]] __device__ typename Rows::Number damping_time(const Rows& rows) {
  const BatchView<typename Rows::Number>& batch = rows.batch;
  return batch.strain_damping.time[rows.lane.body] * batch.stiffness_scale[rows.lane.body];
}

/// residual += tau D v, where the batch has such a damping. `argument` is overwritten. Needs a barrier before it, and
/// ends with one.
/// @param velocity `velocity(i)` is v_i
template <class Rows, class Velocity>
__device__ void add_strain_damping(const Rows& rows, const Velocity& velocity) {
  using T = typename Rows::Number;
  if constexpr (Rows::may_be_damped) {
    if (rows.batch.strain_damping.time == nullptr) return;
    const T time = damping_time(rows);
    const bool is_damped = time > 0;
    if (!any(is_damped)) return;
    for (int i = rows.warp; i < rows.rank; i += rows.warps) rows.argument[i * warp_size] = time * velocity(i);
    __syncthreads();
    const T* d = rows.h(rows.batch.strain_damping.d);
    for (int i = rows.warp; i < rows.rank && is_damped; i += rows.warps) {
      T sum = rows.residual[i * warp_size];
      for (int j = 0; j <= i; ++j) sum = fma(d[stiffness_row(i, j) * tile_bodies], rows.argument[j * warp_size], sum);
      for (int j = i + 1; j < rows.rank; ++j)
        sum = fma(d[stiffness_row(j, i) * tile_bodies], rows.argument[j * warp_size], sum);
      rows.residual[i * warp_size] = sum;
    }
    __syncthreads();
  }
}

/// K += weight tau D / scale, where the batch has such a damping. Begins and ends with a barrier then.
/// @param scale that the system multiplies K with
template <class Rows, class S, class T>
__device__ void add_strain_damping_to(const Rows& rows, S& system, T weight, T scale) {
  if (rows.batch.strain_damping.time == nullptr) return;
  const T time = damping_time(rows), factor = weight * time / scale;
  const bool is_damped = time > 0;
  if (!any(is_damped)) return;
  const T* d = rows.h(rows.batch.strain_damping.d);
  // -0 leaves every number as it is.
  system.add([&](int row) { return is_damped ? factor * d[row * tile_bodies] : -T{0}; });
}

}  // namespace quartic::cuda
