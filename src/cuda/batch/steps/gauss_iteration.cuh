// An iteration of the energy-conserving scheme, as src/cpu/batch/energy_conserving_step.cpp: what held and free bodies
// share.
#pragma once

#include "cuda/batch/steps/chambers.cuh"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/batch/steps/strain_damping.cuh"

namespace quartic::cuda {

/// As a parameter of kernels: constants of their text take registers.
template <class T>
struct GaussShares {
  T first = gauss_share<T>(false), second = gauss_share<T>(true);
};

/// residual += 1/2 R + beta K d / (2 dt) at one Gauss point. Ends with a barrier.
template <class Rows, class S, class T>
__device__ void add_point(const Rows& rows, S& system, T* points, const T* h, T damping, bool first) {
  begin_point(rows, system, points);
  const T stiffness = rows.batch.stiffness_scale[rows.lane.body];
  for (int i = rows.warp; i < rows.padded_rank(); i += rows.warps) {
    T argument = 0;
    if (i < rows.rank) {
      argument = stiffness * plus_force_argument<2>(rows, damping * rows.increment(i, first), *rows.point(points, i));
      rows.residual[i * warp_size] += stiffness * force_rest<2>(rows, h, i);
    }
    rows.argument[i * warp_size] = argument;
  }
  complete_stiffness(rows, system, StiffnessRows<T>{rows.h(h), 1, nullptr, 0});
  system.multiply_add(rows.argument, rows.residual);
  __syncthreads();
}

/// Into `residual`, given H at both points. Ends with a barrier.
template <class Rows, class S, class T>
__device__ void make_mean_residual(const Rows& rows, S& system, const StepSettings<T>& s, T alpha, T damping,
                                   bool first) {
  const BatchView<T>& batch = rows.batch;
  for (int i = rows.warp; i < rows.padded_rank(); i += rows.warps) {
    T residual = 0;
    if (i < rows.rank)
      residual =
          conserving_inertia(s, rows.increment(i, first), batch.velocity[rows.state(i)], alpha, rows.mean_force(i));
    rows.residual[i * warp_size] = residual;
  }
  add_point(rows, system, batch.points, batch.h, damping, first);
  add_point(rows, system, batch.second_points, batch.second_h, damping, first);
  add_strain_damping(rows, [&](int i) { return rows.increment(i, first) / s.dt; });
}

/// The derivative of the residual: the mean of s K, and damping's mean of K.
template <class T, class Rows>
[[nodiscard]] __device__ StiffnessRows<T> mean_stiffness(const Rows& rows, const GaussShares<T>& share, T damping) {
  const T stiffness = rows.batch.stiffness_scale[rows.lane.body];
  return {rows.h(rows.batch.h), gauss_stiffness(share.first, damping, stiffness), rows.h(rows.batch.second_h),
          gauss_stiffness(share.second, damping, stiffness)};
}

/// Puts that into the system. K of chambers is linear in the point, so that it is that of the weighted sum of both.
template <class Rows, class S, class T>
__device__ void load_mean_stiffness(const Rows& rows, S& system, const StiffnessRows<T>& mean) {
  const BatchView<T>& batch = rows.batch;
  load_stiffness(rows, system, mean, [&](int k) {
    return mean.first_weight * *rows.point(batch.points, k - 1) +
           mean.second_weight * *rows.point(batch.second_points, k - 1);
  });
}

/// Ends an iteration: the corrected increments of open bodies, and the points of the next one.
template <class T, class Rows>
__device__ void correct_increments(const Rows& rows, const GaussShares<T>& share, bool first, bool open) {
  const BatchView<T>& batch = rows.batch;
  for (int i = rows.warp; i < rows.rank; i += rows.warps) {
    T increment = rows.increment(i, first);
    if (open) increment -= rows.argument[i * warp_size];
    const T q = batch.q[rows.state(i)];
    *rows.vector(batch.increment, i) = increment;
    *rows.point(batch.points, i) = gauss_point(share.first, q, increment);
    *rows.point(batch.second_points, i) = gauss_point(share.second, q, increment);
  }
}

}  // namespace quartic::cuda
