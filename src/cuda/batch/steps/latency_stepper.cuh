// The steps of a body by itself, in block 0 of its cluster: the integrators of the kernels for tiles, with other orders
// of summation.
#pragma once

#include "core/batch/curve_value.hpp"
#include "core/batch/scheme.hpp"
#include "cuda/batch/steps/latency_body.cuh"
#include "cuda/batch/steps/latency_steps.hpp"
#include "cuda/energy/step_progress.hpp"

namespace quartic::cuda {

/// A body on its way through the steps: block 0's threads, each with a row of the state.
template <class T, bool clustered>
struct LatencyStepper {
  const LatencySteps<T>& steps;
  const StepSettings<T>& s;
  LatencyBody<T, clustered> body;
  std::int64_t number;  // in the batch
  T alpha, beta, stiffness;
  T q, velocity, acceleration, load;  // of this thread's row, 0 where it has none
  T start_force, end_force, start_scale, end_scale;
  T *argument, *residual, *solution;  // shared
  bool is_unsolvable;

  __device__ LatencyStepper(const LatencySteps<T>& all, const LatencyBody<T, clustered>& one, std::int64_t place)
      : steps(all), s(all.settings), body(one), number(place) {
    const BatchView<T>& batch = steps.batch;
    alpha = batch.rayleigh_mass[number], beta = batch.rayleigh_stiffness[number];
    stiffness = batch.stiffness_scale[number];
    const bool valid = body.has_row();
    const std::int64_t at = state();
    q = valid ? batch.q[at] : T{0}, velocity = valid ? batch.velocity[at] : T{0};
    acceleration = valid ? batch.acceleration[at] : T{0}, load = valid ? batch.force[at] : T{0};
    argument = body.vector(0), residual = body.vector(1), solution = body.vector(2);
    is_unsolvable = false;
  }

  [[nodiscard]] __device__ std::int64_t state() const { return body.row() * steps.batch.pitch + number; }
  [[nodiscard]] __device__ T mean_force() const { return mean_load(start_force, end_force); }

  __device__ void scale_load(double time) {
    start_force = end_force = load;
    start_scale = end_scale = 1;
    if (steps.curves.curve_of_body == nullptr) return;
    const int curve = steps.curves.curve_of_body[number];
    if (curve < 0) return;
    const std::int64_t begin = steps.curves.starts[curve], count = steps.curves.starts[curve + 1] - begin;
    const double end = time + steps.dt, slack = curve_slack(time, end);
    const auto scale = [&](double at) {
      return static_cast<T>(curve_value(steps.curves.times + begin, steps.curves.scales + begin, count, at, slack));
    };
    start_scale = scale(time), end_scale = scale(end);
    start_force = start_scale * load, end_force = end_scale * load;
  }

  /// H at the point whose coordinates the threads with a row tell, that of pressures included.
  __device__ void evaluate(T x, bool second = false) {
    body.evaluate(x, second);
    if (body.has_chambers()) body.add_chambers(steps.batch.pressure + number, steps.batch.bodies, stiffness, second);
  }
  /// This thread's row of what is left of R / parts where K q / (3 parts) has been taken off.
  [[nodiscard]] __device__ T force_rest(const T* h, int parts = 1) const {
    return stiffness * (body.h_zero(h) / static_cast<T>(3 * parts));
  }
  /// residual <- rest + K argument.
  __device__ void form_residual(const T* h, T factor, T rest) {
    if (body.has_row()) argument[body.row()] = stiffness * factor, residual[body.row()] = rest;
    body.multiply_add(h, argument, residual);
  }
  /// This thread's row of A^-1 residual.
  template <class Stiffness>
  __device__ T solve_system(const Stiffness& k, const SystemScales<T>& scales) {
    BodySystem<T> system = body.system();
    const BodySolveResult result = solve(system, k, scales, residual, solution);
    if (result.regularised && body.row() == 0) steps.batch.status[number] = status_regularised;
    is_unsolvable = result.unsolvable;
    return body.has_row() ? solution[body.row()] : T{0};
  }

  [[nodiscard]] __device__ RowState<T> newmark_state(T increment) const {
    return implicit_state(s, {q, velocity, acceleration}, increment);
  }
  __device__ RowState<T> implicit_step() {
    T increment = 0;
    for (int n = 0; n < s.newton_iterations && !is_unsolvable; ++n) {
      const RowState<T> next = newmark_state(increment);
      evaluate(next.q);
      const T* h = body.h();
      const T rest =
          body.has_row() ? implicit_residual(next.acceleration, alpha, next.velocity, force_rest(h), end_force) : T{0};
      form_residual(h, beta * next.velocity + next.q / 3, rest);
      if (s.newton_tolerance > 0 && implicit_converged(s, body.square_sum(residual))) break;
      const T correction = solve_system(BodyStiffness<T>{h, 1, nullptr, 0}, implicit_system(s, alpha, beta, stiffness));
      if (!is_unsolvable) increment -= correction;
    }
    return newmark_state(increment);
  }

  /// f - R(x) - C(x) v, given H at x.
  __device__ T acceleration_at(T x, T force, T v) {
    const T* h = body.h();
    const T rest = body.has_row() ? explicit_acceleration(force, alpha * v, force_rest(h)) : T{0};
    form_residual(h, -(beta * v + x / 3), rest);
    return body.has_row() ? residual[body.row()] : T{0};
  }
  __device__ RowState<T> central_differences_step(bool h_is_current) {
    const T half = s.dt / 2;
    if (!h_is_current) evaluate(q);
    const T v = kicked(velocity, half, acceleration_at(q, start_force, kicked(velocity, -half, acceleration)));
    const T next_q = drifted(q, s, v);
    evaluate(next_q);
    const T a = acceleration_at(next_q, end_force, v);
    return {next_q, kicked(v, half, a), a};
  }

  /// residual += R / 2 + beta K d / (2 dt) at one Gauss point.
  __device__ void add_point(T x, T increment, T rest, bool second) {
    evaluate(x, second);
    const T* h = body.h(second);
    form_residual(h, gauss_damping(s, beta) * increment + x / 6, body.has_row() ? rest + force_rest(h, 2) : T{0});
  }
  __device__ RowState<T> energy_conserving_step() {
    const T first = gauss_share<T>(false), second = gauss_share<T>(true);
    const T damping = gauss_damping(s, beta);
    T increment = 0, last_squares = 0;
    bool converged = false;
    for (int n = 0; n < energy_conserving_iterations && !is_unsolvable; ++n) {
      const T inertia = conserving_inertia(s, increment, velocity, alpha, mean_force());
      add_point(gauss_point(first, q, increment), increment, inertia, false);
      add_point(gauss_point(second, q, increment), increment, body.has_row() ? residual[body.row()] : T{0}, true);
      const T squares = body.square_sum(residual);
      converged = has_converged(increment, squares, n == 0, last_squares);
      if (converged) break;
      last_squares = squares;
      const BodyStiffness<T> k{body.h(), gauss_stiffness(first, damping, stiffness), body.h(true),
                               gauss_stiffness(second, damping, stiffness)};
      const T correction = solve_system(k, conserving_system(s, alpha));
      if (!is_unsolvable) increment -= correction;
    }
    if (!converged && !is_unsolvable && body.row() == 0) steps.batch.flags[number] |= flag_not_converged;
    return conserving_state(s, q, velocity, increment);
  }
  __device__ bool has_converged(T increment, T squares, bool first, T last_squares) {
    if (body.has_row()) argument[body.row()] = conserving_term(s, increment, velocity, mean_force());
    __syncthreads();
    return conserving_converged(squares, body.square_sum(argument), first, last_squares);
  }

  /// Accepts a state that is finite, else tells that the body has diverged, for all threads.
  /// @param defects not 0 where something else isn't finite
  __device__ bool accept(const RowState<T>& next, T defects = 0) {
    defects += defect(next.q) + defect(next.velocity) + defect(next.acceleration);
    if (__syncthreads_or(defects != 0 || is_unsolvable ? 1 : 0) != 0) {
      if (body.row() == 0) steps.batch.status[number] = status_diverged;
      return false;
    }
    q = next.q, velocity = next.velocity, acceleration = next.acceleration;
    return true;
  }

  __device__ void run() {
    double time = *steps.time;
    bool moves = true;
    for (int n = 0; n < steps.substeps && moves; ++n, time += steps.dt) {
      scale_load(time);
      switch (steps.scheme) {
        case LatencyScheme::implicit:
          moves = accept(implicit_step());
          break;
        case LatencyScheme::central_differences:
          moves = accept(central_differences_step(n > 0));
          break;
        case LatencyScheme::energy_conserving:
          moves = accept(energy_conserving_step());
          break;
      }
    }
    store();
  }
  __device__ void store() const {
    if (!body.has_row()) return;
    const std::int64_t at = state();
    steps.batch.q[at] = q, steps.batch.velocity[at] = velocity, steps.batch.acceleration[at] = acceleration;
  }
};

}  // namespace quartic::cuda
