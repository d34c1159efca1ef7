// What a free body's step has besides a held one's: the inertia at a deformation, its terms in the coordinates'
// equation, the angular velocity's elimination from their system, and the rigid motion at the step's end. Formulas:
// core/frame/inertia_forms.hpp and core/batch/free_scheme.hpp.
//
// `Rows` tells where a thread's body lies and what the thread does of it. In tiles lane = body; the P warps of 32
// bodies share out the coordinates, and J and B q', whose sums one thread makes each; a warp's threads read the same
// forms. Bodies one by one have a thread for each coordinate. The order of sums depends on the rank alone. Per
// evaluation 12 r^2 multiply-adds for the terms and 6 r^2 for J and B q'.
#pragma once

#include <type_traits>

#include "core/batch/free_scheme.hpp"
#include "core/batch/scheme.hpp"
#include "cuda/batch/steps/step_kernels.cuh"
#include "cuda/energy/product_tile.cuh"
#include "cuda/frame/frame_view.hpp"

namespace quartic::cuda {

/// The columns of a coordinate's D and B: three numbers of a pack.
template <class T>
[[nodiscard]] __device__ inline frame::Vector3<T> form_pack(const T* column, int pack) {
  T values[frame_pack];
#pragma unroll
  for (int n = 0; n < frame_pack; n += pack_size<T>)
    load_vector<pack_size<T>>(column + pack * frame_pack + n, values + n);
  return {values[0], values[1], values[2]};
}
/// sum + a x.
template <class T>
[[nodiscard]] __device__ inline frame::Vector3<T> multiply_add(T a, const frame::Vector3<T>& x,
                                                               const frame::Vector3<T>& sum) {
  return {fma(a, x.x, sum.x), fma(a, x.y, sum.y), fma(a, x.z, sum.z)};
}

template <class T>
[[nodiscard]] __device__ inline frame::Symmetric3<T> symmetric(const frame::Vector3<T>& diagonal,
                                                               const frame::Vector3<T>& rest) {
  return {diagonal.x, diagonal.y, diagonal.z, rest.x, rest.y, rest.z};
}

/// Three rows of an array of the batch.
template <class T>
[[nodiscard]] __device__ inline frame::Vector3<std::remove_const_t<T>> rows_at(T* array, std::int64_t pitch, int row,
                                                                               std::int64_t body) {
  const T* from = array + row * pitch + body;
  return {from[0], from[pitch], from[2 * pitch]};
}
template <class T>
__device__ inline void set_rows(T* array, std::int64_t pitch, int row, std::int64_t body,
                                const frame::Vector3<T>& value) {
  T* to = array + row * pitch + body;
  to[0] = value.x, to[pitch] = value.y, to[2 * pitch] = value.z;
}

/// A thread's body, with frame_rows of its own, `stride` apart: J and B q'; a rate; the coupling of coordinates and
/// angular velocity; for bodies one by one what each coordinate adds to J and B q'.
template <class Rows, int stride>
class FreeBody {
 public:
  using T = typename Rows::Number;
  using Vector = frame::Vector3<T>;

  __device__ FreeBody(const Rows& rows, T* memory)
      : rows_(rows),
        arrays_(rows.batch.frame),
        s_(arrays_.settings),
        model_(arrays_.models[rows.model_number()]),
        sums_(memory),
        rate_(sums_ + frame_sums * stride),
        coupling_(rate_ + rows.rank * stride) {}

  /// Before the first of some steps: the momentum at the state, by the first frame_sums of the rows alone.
  __device__ void begin() {
    if (is_mounted()) return;
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      rows_.argument[i * step] = rows_.batch.q[rows_.state(i)];
      rows_.solution[i * step] = rows_.batch.velocity[rows_.state(i)];
    }
    __syncthreads();
    sum_inertia(rows_.argument, rows_.solution, step);
    __syncthreads();
    if (rows_.warp == 0 && rows_.valid())
      set_rows(arrays_.momentum, pitch(), 0, body(), inertia() * spin() + axial_rate());
  }

  /// What an implicit iteration's terms are taken at: in the first one a prediction, since with the increment still
  /// zero Newmark's velocity is the old one turned round, and Coriolis' force would have the wrong sign; else the
  /// iterate. Into the terms' rows; `add` also to the residual, which is complete behind it. Ends with a barrier.
  /// @return if there is a tolerance and `add`: the squares of the residual and of what is left of the momentum's
  /// equation, as a torque, before the angular velocity is taken out
  __device__ T make_terms(const StepSettings<T>& s, bool first, T stiffness_scale, bool add) {
    set_point(s, first);
    if (is_mounted()) return make_base_terms(s, add);
    sum_inertia(rows_.argument, rate_, stride);
    const Vector w0 = spin(), w1 = first ? w0 : next_spin();
    const Vector quadratic = first && !at_start() ? w0 + s_.dt * spin_rate_before() : w1;
    const Vector rate = spin_rate(s_, w0, w1, spin_rate_before());
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      Vector diagonal, rest, turned;
      const Vector axial = evaluate_form(i, diagonal, rest, turned);
      put(coupling_ + 3 * i * stride, axial);
      if (add)
        rows_.residual[i * step] +=
            dot(axial, rate) + 2 * dot(quadratic, turned) - dot(quadratic, symmetric(diagonal, rest) * quadratic) / 2;
    }
    __syncthreads();
    const Vector u = middle_spin(s_, w0, quadratic);
    const Vector turned = rotate(conjugate(frame::cayley(s_.dt * u)), start_momentum());
    const Vector left = inertia() * w1 + axial_rate() - turned;
    const T squares = squares_left(s, left, add);
    eliminate(left, stiffness_scale, add);
    return squares;
  }

  /// K <- K - b^T b, by the terms' rows. Ends with a barrier.
  template <class S>
  __device__ void update(S& system) const {
    if (is_mounted()) return;
    system.subtract_square(coupling_, stride);
    __syncthreads();
  }

  /// The angular velocity that solves the momentum's equation to round-off where the iteration has led; `next(row)`
  /// tells the new state of rows of this thread. Needs a barrier before it, and ends with one.
  template <class Next>
  __device__ void finish(bool first, const Next& next) {
    if (is_mounted()) return;
    for_rows(rows_, next, [&](int i, const RowState<T>& state) {
      rows_.residual[i * step] = state.q, rows_.solution[i * step] = state.velocity;
    });
    __syncthreads();
    sum_inertia(rows_.residual, rows_.solution, step);
    __syncthreads();
    if (rows_.warp == 0 && rows_.valid()) {
      const Vector w0 = spin();
      const Vector w1 = solve_spin(s_, inertia(), axial_rate(), w0, start_momentum(), first ? w0 : next_spin());
      set_rows(arrays_.next_spin, pitch(), 0, body(), w1);
    }
    __syncthreads();
  }

  // For `accept`, by warp 0, behind `finish`.
  __device__ void advance() {
    if (is_mounted()) return;
    const Vector w0 = spin(), w1 = next_spin();
    const Vector v0 = rows_at(arrays_.twist, pitch(), 0, body());
    const Vector acceleration = (load() / model_.mass) * rows_at(arrays_.wrench, pitch(), 0, body());
    next_.velocity = v0 + s_.dt * acceleration;
    next_.position = rows_at(arrays_.pose, pitch(), 0, body()) + s_.dt * middle_spin(s_, v0, next_.velocity);
    next_.rotation = normalised(rotation() * frame::cayley(s_.dt * middle_spin(s_, w0, w1)));
    next_.acceleration = acceleration;
    next_.spin = w1;
    next_.spin_rate = spin_rate(s_, w0, w1, spin_rate_before());
    next_.momentum = inertia() * w1 + axial_rate();
  }
  /// 0, or NaN where something isn't finite.
  [[nodiscard]] __device__ T defects() const {
    if (is_mounted()) return 0;
    T sum = defect(next_.rotation.w);
    for (const Vector& v :
         {next_.position, next_.rotation.vector, next_.velocity, next_.spin, next_.acceleration, next_.spin_rate})
      sum += defect(v.x) + defect(v.y) + defect(v.z);
    return sum;
  }
  __device__ void store() const {
    if (is_mounted()) return;
    set_rows(arrays_.pose, pitch(), 0, body(), next_.position);
    set_rows(arrays_.pose, pitch(), 3, body(), next_.rotation.vector);
    arrays_.pose[6 * pitch() + body()] = next_.rotation.w;
    set_rows(arrays_.twist, pitch(), 0, body(), next_.velocity);
    set_rows(arrays_.twist, pitch(), 3, body(), next_.spin);
    set_rows(arrays_.twist_rate, pitch(), 0, body(), next_.acceleration);
    set_rows(arrays_.twist_rate, pitch(), 3, body(), next_.spin_rate);
    set_rows(arrays_.momentum, pitch(), 0, body(), next_.momentum);
  }

  /// The energy-conserving scheme's terms between q_n and q_n + d, J and B q' having been summed by `finish` at the
  /// end: adds to the residual
  ///   (B1^T w1 - B0^T w0) / h - 1/2 w0^T D(qm) w1 - 1/2 (A(w0) q'1 + A(w1) q'0),   A(w) x = -w_k (x_p A_pi)_k,
  /// leaves the size of its terms in `rate` and their rows. Ends with a barrier.
  template <class Increment>
  __device__ void make_mean_terms(const Increment& increment) {
    const Vector w0 = spin(), w1 = next_spin();
    const frame::Cholesky3<T> factor(inertia());
    const T weight = std::sqrt(s_.rate * s_.velocity);
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      const MeanForm form = evaluate_mean_form(i, increment);
      const T start = dot(form.start_axial, w0) / s_.dt, end = dot(form.end_axial, w1) / s_.dt;
      const T centrifugal = dot(w0, symmetric(form.diagonal, form.rest) * w1) / 2;
      const T coriolis = (dot(w0, form.end_turned) + dot(w1, form.start_turned)) / 2;
      rows_.residual[i * step] += end - start - centrifugal + coriolis;
      rate_[i * stride] = std::abs(start) + std::abs(end) + std::abs(centrifugal) + std::abs(coriolis);
      put(coupling_ + 3 * i * stride, weight * factor.forward(form.end_axial));
    }
    __syncthreads();
  }
  /// The coordinates' part of the stiffness, b in K - b b^T: shape (r, 3), entries `stride` apart.
  [[nodiscard]] __device__ const T* coupling() const { return coupling_; }
  [[nodiscard]] __device__ T term_size(int i) const { return rate_[i * stride]; }

 private:
  static constexpr int step = Rows::vector_stride;

  struct RigidState {
    Vector position, velocity, spin, acceleration, spin_rate, momentum;
    frame::Quaternion<T> rotation;
  };
  struct MeanForm {
    Vector diagonal, rest;            // D at the mean of both ends
    Vector start_axial, end_axial;    // B
    Vector start_turned, end_turned;  // q'_p A_pi
  };

  [[nodiscard]] __device__ std::int64_t pitch() const { return rows_.batch.pitch; }
  [[nodiscard]] __device__ std::int64_t body() const { return rows_.body_number(); }
  /// On a base that the caller moves: all warps of a tile see the same.
  [[nodiscard]] __device__ bool is_mounted() const { return model_.unit_acceleration != nullptr; }
  [[nodiscard]] __device__ bool at_start() const { return s_.middle == 1; }  // backward Euler
  [[nodiscard]] __device__ Vector spin() const { return rows_at(arrays_.twist, pitch(), 3, body()); }
  [[nodiscard]] __device__ Vector next_spin() const { return rows_at(arrays_.next_spin, pitch(), 0, body()); }
  [[nodiscard]] __device__ Vector spin_rate_before() const { return rows_at(arrays_.twist_rate, pitch(), 3, body()); }
  [[nodiscard]] __device__ frame::Quaternion<T> rotation() const {
    return unit_rotation(
        frame::Quaternion<T>{rows_at(arrays_.pose, pitch(), 3, body()), arrays_.pose[6 * pitch() + body()]});
  }
  /// What the wrench is multiplied with.
  [[nodiscard]] __device__ T load() const {
    return at_start() ? rows_.end_scale() : mean_load(rows_.start_scale(), rows_.end_scale());
  }
  /// With the torque's impulse.
  [[nodiscard]] __device__ Vector start_momentum() const {
    const Vector torque = load() * rows_at(arrays_.wrench, pitch(), 3, body());
    return rows_at(arrays_.momentum, pitch(), 0, body()) + s_.dt * rotate(conjugate(rotation()), torque);
  }

  __device__ static void put(T* to, const Vector& value) {
    to[0] = value.x, to[stride] = value.y, to[2 * stride] = value.z;
  }
  [[nodiscard]] __device__ static Vector at(const T* from) { return {from[0], from[stride], from[2 * stride]}; }
  [[nodiscard]] __device__ frame::Symmetric3<T> inertia() const { return symmetric(at(sums_), at(sums_ + 3 * stride)); }
  [[nodiscard]] __device__ Vector axial_rate() const { return at(sums_ + 6 * stride); }
  [[nodiscard]] __device__ const T* form(int i, int column) const {
    return model_.forms + (i * (rows_.rank + 1) + column) * frame_entries;
  }

  // Point into `argument`, the rate that turns into `solution`, the iterate's into `rate_`. Ends with a barrier.
  __device__ void set_point(const StepSettings<T>& s, bool first) {
    const T h = s_.dt;
    for_rows(
        rows_, [&](int i) { return state_before(i); },
        [&](int i, const RowState<T>& before) {
          const RowState<T> iterate = implicit_state(s, before, rows_.increment(i, first));
          T q = iterate.q, velocity = iterate.velocity;
          if (first && at_start()) q = before.q, velocity = before.velocity;
          if (first && !at_start()) {
            q = before.q + h * before.velocity + h * h / 2 * before.acceleration;
            velocity = before.velocity + h * before.acceleration;
          }
          rows_.argument[i * step] = q, rows_.solution[i * step] = velocity;
          rate_[i * stride] = iterate.velocity;
        });
    __syncthreads();
  }
  [[nodiscard]] __device__ RowState<T> state_before(int i) const {
    const std::int64_t at = rows_.state(i);
    return {rows_.batch.q[at], rows_.batch.velocity[at], rows_.batch.acceleration[at]};
  }

  // J and B q' at a point, three numbers a task. @param rate its entries are `rate_step` apart
  __device__ void sum_inertia(const T* q, const T* rate, int rate_step) {
    if constexpr (Rows::one_body)
      sum_contributions(q, rate, rate_step);
    else
      sum_by_tasks(q, rate, rate_step);
  }
  __device__ void sum_by_tasks(const T* q, const T* rate, int rate_step) {
    for (int task = rows_.warp; task < 3; task += rows_.warps) {
      if (task < 2)
        put(sums_ + 3 * task * stride, sum_inertia_pack(q, task));
      else
        put(sums_ + 6 * stride, sum_axial(q, rate, rate_step));
    }
  }
  // The same by a thread for each coordinate, and then one for each number.
  __device__ void sum_contributions(const T* q, const T* rate, int rate_step) {
    T* contributions = coupling_ + 3 * rows_.rank * stride;
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      T* to = contributions + i * frame_sums;
      set_rows(to, 1, 0, 0, q[i * step] * inertia_pack(q, i, 0));
      set_rows(to, 1, 3, 0, q[i * step] * inertia_pack(q, i, 1));
      set_rows(to, 1, 6, 0, axial_contribution(q, rate, rate_step, i));
    }
    __syncthreads();
    for (int n = rows_.warp; n < frame_sums; n += rows_.warps) {
      T sum = n < 6 ? model_.rest[n] : T{0};
      for (int i = 0; i < rows_.rank; ++i) sum += contributions[i * frame_sums + n];
      sums_[n * stride] = sum;
    }
  }
  [[nodiscard]] __device__ Vector sum_inertia_pack(const T* q, int pack) const {
    const T* rest = model_.rest + 3 * pack;
    Vector sum{rest[0], rest[1], rest[2]};
    for (int i = 0; i < rows_.rank; ++i) sum = multiply_add(q[i * step], inertia_pack(q, i, pack), sum);
    return sum;
  }
  // J1_i + sum_{p<i} 2 J2_ip q_p + J2_ii q_i.
  [[nodiscard]] __device__ Vector inertia_pack(const T* q, int i, int pack) const {
    Vector sum = form_pack(form(i, 0), pack);
    for (int p = 0; p < i; ++p) sum = multiply_add(q[p * step], form_pack(form(i, p + 1), pack), sum);
    return multiply_add(q[i * step] / 2, form_pack(form(i, i + 1), pack), sum);
  }
  [[nodiscard]] __device__ Vector sum_axial(const T* q, const T* rate, int rate_step) const {
    Vector sum;
    for (int i = 0; i < rows_.rank; ++i) sum = sum + axial_contribution(q, rate, rate_step, i);
    return sum;
  }
  // B0_i q'_i + sum_{p<i} A_pi (q_p q'_i - q_i q'_p), as A_pi = -A_ip.
  [[nodiscard]] __device__ Vector axial_contribution(const T* q, const T* rate, int rate_step, int i) const {
    Vector moved = form_pack(form(i, 0), 2), turned;
    for (int p = 0; p < i; ++p) {
      const Vector a = form_pack(form(i, p + 1), 2);
      moved = multiply_add(q[p * step], a, moved);
      turned = multiply_add(rate[p * rate_step], a, turned);
    }
    return rate[i * rate_step] * moved - q[i * step] * turned;
  }

  // D and q'_p A_pi of a coordinate. @return its B
  __device__ Vector evaluate_form(int i, Vector& diagonal, Vector& rest, Vector& turned) const {
    const T* column = form(i, 0);
    diagonal = form_pack(column, 0), rest = form_pack(column, 1), turned = {};
    Vector axial = form_pack(column, 2);
    for (int p = 0; p < rows_.rank; ++p) {
      column += frame_entries;
      const T q = rows_.argument[p * step], velocity = rows_.solution[p * step];
      diagonal = multiply_add(q, form_pack(column, 0), diagonal);
      rest = multiply_add(q, form_pack(column, 1), rest);
      const Vector a = form_pack(column, 2);
      axial = multiply_add(q, a, axial);
      turned = multiply_add(velocity, a, turned);
    }
    return axial;
  }
  template <class Increment>
  [[nodiscard]] __device__ MeanForm evaluate_mean_form(int i, const Increment& increment) const {
    const T* column = form(i, 0);
    MeanForm f = {form_pack(column, 0), form_pack(column, 1), form_pack(column, 2), {}, {}, {}};
    f.end_axial = f.start_axial;
    for (int p = 0; p < rows_.rank; ++p) {
      column += frame_entries;
      const T q = rows_.batch.q[rows_.state(p)], velocity = rows_.batch.velocity[rows_.state(p)], d = increment(p);
      const T middle = q + d / 2;
      f.diagonal = multiply_add(middle, form_pack(column, 0), f.diagonal);
      f.rest = multiply_add(middle, form_pack(column, 1), f.rest);
      const Vector a = form_pack(column, 2);
      f.start_axial = multiply_add(q, a, f.start_axial);
      f.end_axial = multiply_add(q + d, a, f.end_axial);
      f.start_turned = multiply_add(velocity, a, f.start_turned);
    }
    // q'1 = 2/h d - q'0.
    f.end_turned = (2 / s_.dt) * (f.end_axial - f.start_axial) - f.start_turned;
    return f;
  }

  // Where the motion of the base is prescribed: B^T w' - 2 A(w) q' - 1/2 w^T D w + s a, and no coupling.
  __device__ T make_base_terms(const StepSettings<T>& s, bool add) {
    const Vector w = spin(), rate = spin_rate_before();
    const Vector a = rotate(conjugate(rotation()), rows_at(arrays_.twist_rate, pitch(), 0, body()));
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      Vector diagonal, rest, turned;
      const Vector axial = evaluate_form(i, diagonal, rest, turned);
      const T* unit = model_.unit_acceleration + 3 * i;
      put(coupling_ + 3 * i * stride, {});
      if (add)
        rows_.residual[i * step] += dot(axial, rate) + 2 * dot(w, turned) - dot(w, symmetric(diagonal, rest) * w) / 2 +
                                    dot(Vector{unit[0], unit[1], unit[2]}, a);
    }
    __syncthreads();
    return squares_left(s, {}, add);
  }
  [[nodiscard]] __device__ T squares_left(const StepSettings<T>& s, const Vector& momentum_defect, bool add) const {
    if (!add || !(s.newton_tolerance > 0)) return 0;
    const Vector torque = s_.rate * momentum_defect;
    const T squares = rows_.square_sum(rows_.residual) + dot(torque, torque);
    __syncthreads();  // all warps have seen the residual
    return squares;
  }

  // With rows of residual r and defect g for the unknowns d and w,
  //   A d + k B^T w = -r,   a B d + J w = -g     gives     (A - k a B^T J^-1 B) d = -(r - k B^T J^-1 g).
  __device__ void eliminate(const Vector& momentum_defect, T stiffness_scale, bool add) {
    const frame::Cholesky3<T> factor(inertia());
    const Vector left = factor.forward(momentum_defect);
    const T weight = std::sqrt(s_.rate * s_.velocity / stiffness_scale);
    for (int i = rows_.warp; i < rows_.rank; i += rows_.warps) {
      T* coupling = coupling_ + 3 * i * stride;
      const Vector b = factor.forward(at(coupling));
      if (add) rows_.residual[i * step] -= s_.rate * dot(b, left);
      put(coupling, weight * b);
    }
    __syncthreads();
  }

  const Rows& rows_;
  const FrameArrays<T>& arrays_;
  const SpinSettings<T>& s_;
  const FrameView<T>& model_;
  T *sums_, *rate_, *coupling_;
  RigidState next_;
};

}  // namespace quartic::cuda
