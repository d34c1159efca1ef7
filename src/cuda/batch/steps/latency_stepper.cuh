// The steps of a body by itself, in block 0 of its cluster: the integrators of the kernels for tiles, with other orders
// of summation.
#pragma once

#include "core/batch/curve_value.hpp"
#include "core/batch/gas_law.hpp"
#include "core/batch/scheme.hpp"
#include "cuda/batch/steps/latency_body.cuh"
#include "cuda/batch/steps/latency_steps.hpp"
#include "cuda/energy/block_gas.cuh"
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
  T strain_damping;                   // tau times `stiffness`, 0 for none
  T q, velocity, acceleration, load;  // of this thread's row, 0 where it has none
  T start_force, end_force, start_scale, end_scale;
  T *argument, *residual, *solution;  // shared
  bool is_unsolvable;

  __device__ LatencyStepper(const LatencySteps<T>& all, const LatencyBody<T, clustered>& one, std::int64_t place)
      : steps(all), s(all.settings), body(one), number(place) {
    const BatchView<T>& batch = steps.batch;
    alpha = batch.rayleigh_mass[number], beta = batch.rayleigh_stiffness[number];
    stiffness = batch.stiffness_scale[number];
    const StrainDampingView<T>& damping = batch.strain_damping;
    strain_damping = damping.time == nullptr ? T{0} : damping.time[number] * stiffness;
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

  /// H at the point whose coordinates the threads with a row tell, that of pressures included. `argument`, `residual`
  /// and `solution` are overwritten where there are gases.
  /// @param end this thread's row of the state at the end of a step over which gases have their mean pressure
  __device__ void evaluate(T x, bool second = false, T end = 0) {
    body.evaluate(x, second);
    if (body.chambers() == 0) return;
    if (steps.has_gases) add_gases(second, end);
    const T* pressure = steps.has_gases ? steps.gases.pressure : steps.batch.pressure;
    body.add_chambers(pressure + number, steps.batch.bodies, stiffness, second);
  }
  /// Pressures from volumes, and what follows from them for K.
  __device__ void add_gases(bool second, T end) {
    const GasView<T>& gases = steps.gases;
    const GasImages<T>& images = gases.images[steps.model];
    const int rank = body.rank();
    const bool is_mean = steps.scheme == LatencyScheme::energy_conserving;
    if (is_mean && body.has_row()) argument[body.row()] = q, residual[body.row()] = end;
    __syncthreads();
    for (int chamber = 0; chamber < body.chambers(); ++chamber) {
      const std::int64_t n = chamber * steps.batch.bodies + number;
      T pressure = gases.given[n];
      if (const double amount = gases.amount[n]; amount > 0) {
        const double* volume = images.volumes + chamber * volume_image_size(rank);
        const auto volume_of = [&](const T* x) {
          return block_volume(volume, rank, [&](int k) { return k == 0 ? 1.0 : double{x[k - 1]}; });
        };
        GasState state;
        if (is_mean) {
          const double before = volume_of(argument), behind = volume_of(residual);
          state = {mean_gas(amount, before, behind).pressure, chord_stiffness(amount, before, behind)};
        } else {
          state = gas_at(amount, volume_of(body.point() + 1));
        }
        pressure = static_cast<T>(double{pressure} + (state.pressure - gases.atmosphere));
        add_gas_stiffness(images.gradients + chamber * rank * gradient_row_size(rank), rank,
                          static_cast<T>(state.stiffness / double{stiffness}), body.point(), solution,
                          body.changeable_h(second));
      }
      if (body.row() == 0) gases.pressure[n] = pressure;
    }
    __syncthreads();
  }
  /// D / tau of damping by strain rates.
  [[nodiscard]] __device__ T* strain_damping_matrix() const {
    return steps.batch.strain_damping.single_d + number * steps.batch.strain_damping.single_rows;
  }
  /// residual += tau D(x) v, where there is such a damping. `argument` is overwritten.
  __device__ void damp(T x, T v) {
    if (!(strain_damping > 0)) return;
    T* d = strain_damping_matrix();
    body.evaluate_strain_damping(steps.batch.strain_damping.models[steps.model], x, argument, d);
    if (body.has_row()) argument[body.row()] = strain_damping * v;
    body.multiply_add(d, argument, residual);
  }
  /// K with weight tau D beside it, in a system with these scales.
  [[nodiscard]] __device__ DampedStiffness<T> damped(const BodyStiffness<T>& k, T weight,
                                                     const SystemScales<T>& scales) const {
    if (!(strain_damping > 0)) return {k, nullptr, 0};
    return {k, strain_damping_matrix(), weight * strain_damping / scales.stiffness};
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
      damp(next.q, next.velocity);
      if (s.newton_tolerance > 0 && implicit_converged(s, body.square_sum(residual))) break;
      const SystemScales<T> scales = implicit_system(s, alpha, beta, stiffness);
      const T correction = solve_system(damped({h, 1, nullptr, 0}, s.a4, scales), scales);
      if (!is_unsolvable) increment -= correction;
    }
    return newmark_state(increment);
  }

  /// f - R(x) - C(x) v, given H at x.
  __device__ T acceleration_at(T x, T force, T v) {
    const T* h = body.h();
    const T rest = body.has_row() ? explicit_acceleration(force, alpha * v, force_rest(h)) : T{0};
    form_residual(h, -(beta * v + x / 3), rest);
    damp(x, -v);
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
    evaluate(x, second, q + increment);
    const T* h = body.h(second);
    form_residual(h, gauss_damping(s, beta) * increment + x / 6, body.has_row() ? rest + force_rest(h, 2) : T{0});
  }
  __device__ void form_mean_residual(T increment) {
    const T inertia = conserving_inertia(s, increment, velocity, alpha, mean_force());
    add_point(gauss_point(gauss_share<T>(false), q, increment), increment, inertia, false);
    add_point(gauss_point(gauss_share<T>(true), q, increment), increment, body.has_row() ? residual[body.row()] : T{0},
              true);
    damp(gauss_point(T{0.5}, q, increment), increment / s.dt);
  }
  /// Of its derivative.
  [[nodiscard]] __device__ DampedStiffness<T> mean_stiffness(const SystemScales<T>& scales) const {
    const T damping = gauss_damping(s, beta);
    return damped({body.h(), gauss_stiffness(gauss_share<T>(false), damping, stiffness), body.h(true),
                   gauss_stiffness(gauss_share<T>(true), damping, stiffness)},
                  1 / s.dt, scales);
  }
  __device__ RowState<T> energy_conserving_step() {
    const SystemScales<T> scales = conserving_system(s, alpha);
    T increment = 0, last_squares = 0;
    bool converged = false;
    for (int n = 0; n < energy_conserving_iterations && !is_unsolvable; ++n) {
      form_mean_residual(increment);
      const T squares = body.square_sum(residual);
      converged = has_converged(increment, squares, n == 0, last_squares);
      if (converged) break;
      last_squares = squares;
      const T correction = solve_system(mean_stiffness(scales), scales);
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
