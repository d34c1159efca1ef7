// The steps of a free body by itself: those of latency_stepper.cuh with the terms of free_body.cuh. The state is also
// in the batch's arrays while a step runs, and the rigid motion only there.
#pragma once

#include "cuda/batch/steps/free_body.cuh"
#include "cuda/batch/steps/latency_stepper.cuh"

namespace quartic::cuda {

/// A thread's view of the body's rows: as BodyRows, for one body with a thread for each row.
template <class T>
struct SingleRows {
  using Number = T;
  static constexpr bool has_force = false, one_body = true;
  static constexpr int vector_stride = 1;
  const BatchView<T>& batch;
  int model, rank, warp, warps;
  std::int64_t number;
  T *argument, *residual, *solution;
  T increment_so_far, start, end;

  [[nodiscard]] __device__ std::int64_t state(int row) const { return row * batch.pitch + number; }
  [[nodiscard]] __device__ T increment(int /*own row*/, bool first) const { return first ? T{0} : increment_so_far; }
  [[nodiscard]] __device__ int model_number() const { return model; }
  [[nodiscard]] __device__ std::int64_t body_number() const { return number; }
  [[nodiscard]] __device__ static bool valid() { return true; }
  [[nodiscard]] __device__ T square_sum(const T* values) const {
    T sum = 0;
    for (int i = 0; i < rank; ++i) sum = fma(values[i], values[i], sum);
    return sum;
  }
  [[nodiscard]] __device__ T start_scale() const { return start; }
  [[nodiscard]] __device__ T end_scale() const { return end; }
};

/// K - b b^T.
template <class T>
struct CoupledStiffness {
  DampedStiffness<T> stiffness;
  const T* coupling;  // shape (r, 3)

  [[nodiscard]] __device__ T entry(int i, int j) const {
    T value = stiffness.entry(i, j);
#pragma unroll
    for (int n = 0; n < 3; ++n) value = fma(-coupling[3 * i + n], coupling[3 * j + n], value);
    return value;
  }
};

template <class T, bool clustered>
struct FreeLatencyStepper : LatencyStepper<T, clustered> {
  using Base = LatencyStepper<T, clustered>;
  using Base::body, Base::s, Base::steps;
  using Free = FreeBody<SingleRows<T>, 1>;
  using Base::Base;

  /// Made anew for each use, so that all of it stays in registers.
  [[nodiscard]] __device__ SingleRows<T> rows(T increment = 0) const {
    return {steps.batch,       steps.model,    body.rank(),    body.row(),     static_cast<int>(blockDim.x),
            this->number,      this->argument, this->residual, this->solution, increment,
            this->start_scale, this->end_scale};
  }
  /// In shared memory, of all rows.
  [[nodiscard]] __device__ T* increments() const {
    return body.frame() + frame_rows(body.rank()) + frame_sums * body.rank();
  }

  __device__ RowState<T> implicit_step() {
    const SystemScales<T> scales = implicit_system(s, this->alpha, this->beta, this->stiffness);
    T increment = 0;
    for (int n = 0; n < s.newton_iterations && !this->is_unsolvable; ++n) {
      const RowState<T> next = this->newmark_state(increment);
      const auto end = [&](int) { return this->newmark_state(increment); };
      this->evaluate(next.q);
      const T* h = body.h();
      const T rest = body.has_row() ? implicit_residual(next.acceleration, this->alpha, next.velocity,
                                                        this->force_rest(h), this->end_force)
                                    : T{0};
      this->form_residual(h, this->beta * next.velocity + next.q / 3, rest);
      this->damp(next.q, next.velocity);
      const SingleRows<T> rows = this->rows(increment);
      Free free(rows, body.frame());
      const T squares = free.make_terms(s, n == 0, scales.stiffness, true);
      const bool converged = s.newton_tolerance > 0 && implicit_converged(s, squares);
      if (!converged) {
        const DampedStiffness<T> k = this->damped({h, 1, nullptr, 0}, s.a4, scales);
        const T correction = this->solve_system(CoupledStiffness<T>{k, free.coupling()}, scales);
        if (!this->is_unsolvable) increment -= correction;
      }
      free.finish(n == 0, end);
      if (converged) break;
    }
    return this->newmark_state(increment);
  }

  __device__ RowState<T> energy_conserving_step() {
    const SystemScales<T> scales = conserving_system(s, this->alpha);
    T increment = s.dt * this->velocity, last_squares = 0;
    const auto end = [&](int) { return conserving_state(s, this->q, this->velocity, increment); };
    bool converged = false;
    for (int n = 0; n < free_conserving_iterations && !this->is_unsolvable; ++n) {
      const SingleRows<T> rows = this->rows();
      Free free(rows, body.frame());
      if (body.has_row()) increments()[body.row()] = increment;
      free.finish(n == 0, end);
      this->form_mean_residual(increment);
      free.make_mean_terms([&](int p) { return increments()[p]; });
      const T squares = body.square_sum(this->residual);
      converged = has_converged(free, increment, squares, n == 0, last_squares);
      if (converged) break;
      last_squares = squares;
      const T correction =
          this->solve_system(CoupledStiffness<T>{this->mean_stiffness(scales), free.coupling()}, scales);
      if (!this->is_unsolvable) increment -= correction;
    }
    if (!converged) {
      if (!this->is_unsolvable && body.row() == 0) steps.batch.flags[this->number] |= flag_not_converged;
      __syncthreads();
      const SingleRows<T> rows = this->rows();
      Free(rows, body.frame()).finish(false, end);
    }
    return end(body.row());
  }
  __device__ bool has_converged(const Free& free, T increment, T squares, bool is_first, T last_squares) {
    const int i = body.row();
    if (body.has_row())
      this->argument[i] = conserving_term(s, increment, this->velocity, this->mean_force()) + free.term_size(i);
    __syncthreads();
    return free_converged(squares, body.square_sum(this->argument), is_first, last_squares);
  }

  /// Accepts a state that is finite, else tells that the body has diverged, for all threads.
  __device__ bool accept(const RowState<T>& next) {
    const SingleRows<T> rows = this->rows();
    Free free(rows, body.frame());
    T defects = 0;
    if (body.row() == 0) {
      free.advance();
      defects = free.defects();
    }
    __syncthreads();  // nobody reads the old motion any more
    if (!Base::accept(next, defects)) return false;
    this->store();
    if (body.row() == 0) free.store();
    __syncthreads();
    return true;
  }

  __device__ void run() {
    this->start_scale = this->end_scale = 1;
    const SingleRows<T> rows = this->rows();
    Free(rows, body.frame()).begin();
    double time = *steps.time;
    bool moves = true;
    __syncthreads();
    for (int n = 0; n < steps.substeps && moves; ++n, time += steps.dt) {
      this->scale_load(time);
      moves = accept(steps.scheme == LatencyScheme::implicit ? implicit_step() : energy_conserving_step());
    }
  }
};

}  // namespace quartic::cuda
