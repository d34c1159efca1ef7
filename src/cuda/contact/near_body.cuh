// A body with contacts in the hands of a block: the equations of src/cpu/contact/implicit_stepper.cpp in its state at
// an iterate. What products with the model's coefficients give is in memory (NearProducts), all else in shared memory
// but for what is known of each contact, which is in the candidates' records.
#pragma once

#include "core/batch/scheme.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/contact/near_block.cuh"
#include "cuda/contact/world_view.hpp"

namespace quartic::cuda {

[[nodiscard]] __device__ inline Vector3 vector_at(const double* x) {
  return {x[0], x[1], x[2]};
}
__device__ inline void put_vector(const Vector3& v, double* x) {
  x[0] = v.x, x[1] = v.y, x[2] = v.z;
}
__device__ inline void put_matrix(const Matrix3& a, double* x) {
  for (int i = 0; i < 3; ++i) put_vector(a.row[i], x + 3 * i);
}
[[nodiscard]] __device__ inline Matrix3 matrix_at(const double* x) {
  return {{vector_at(x), vector_at(x + 3), vector_at(x + 6)}};
}

template <class T>
struct NearBody {
  const WorldView<T>& world;
  const ContactSettings& s;
  const ModelView<double>& model;
  const TreeView& tree;
  const FrameView<double>* frame;  // null for a body that is held
  std::int64_t seat, number;       // the second: of the body
  std::int64_t first;              // of its candidates
  int count;
  int r, n;
  NearMemory memory;
  double* values;
  double* products;
  RigidMotion& rigid;
  NearSearch& search;

  __device__ NearBody(const WorldView<T>& all, std::int64_t its_seat)
      : NearBody(all, its_seat, all.near.bodies[its_seat]) {}
  __device__ NearBody(const WorldView<T>& all, std::int64_t its_seat, std::int64_t body)
      : world(all),
        s(all.settings),
        model(all.models[all.groups[body]]),
        tree(all.trees[all.groups[body]]),
        frame(all.flies(body) ? all.frames + all.groups[body] : nullptr),
        seat(its_seat),
        number(body),
        first(all.candidates.firsts[body]),
        count(static_cast<int>(all.candidates.counts[body])),
        r(model.rank),
        n(NearMemory::unknowns(r, flies())),
        memory(r, flies()),
        values(reinterpret_cast<double*>(shared_memory())),
        products(all.near.products + all.near.place_of(its_seat) * all.near.products_size),
        rigid(*reinterpret_cast<RigidMotion*>(values + memory.rigid)),
        search(*reinterpret_cast<NearSearch*>(values + memory.search)) {}

  [[nodiscard]] __device__ bool flies() const { return frame != nullptr; }
  [[nodiscard]] __device__ double* kept(int which) const { return values + memory.kept_vectors + which * r; }
  [[nodiscard]] __device__ double* q() const { return kept(0); }
  [[nodiscard]] __device__ double* velocity() const { return kept(1); }
  [[nodiscard]] __device__ double* acceleration() const { return kept(2); }
  [[nodiscard]] __device__ double* force() const { return kept(3); }
  [[nodiscard]] __device__ double* increment() const { return kept(4); }
  [[nodiscard]] __device__ double* last_increment() const { return kept(5); }
  [[nodiscard]] __device__ double* correction() const { return values + memory.correction; }
  [[nodiscard]] __device__ double* vector(int which) const { return values + memory.vectors + which * r; }
  [[nodiscard]] __device__ double* next_q() const { return vector(0); }
  [[nodiscard]] __device__ double* next_velocity() const { return vector(1); }
  [[nodiscard]] __device__ double* next_acceleration() const { return vector(2); }
  [[nodiscard]] __device__ double* contact_force() const { return vector(3); }
  [[nodiscard]] __device__ double* elastic() const { return vector(4); }
  [[nodiscard]] __device__ double* inertial() const { return vector(5); }
  [[nodiscard]] __device__ double* argument() const { return vector(6); }
  [[nodiscard]] __device__ double* residual() const { return values + memory.residual; }
  [[nodiscard]] __device__ double* sums() const { return values + memory.sums; }
  [[nodiscard]] __device__ double* matrix() const { return values + memory.matrix; }
  [[nodiscard]] __device__ int pitch() const { return NearMemory::pitch(r, flies()); }
  /// D_i and B_i at the iterate.
  [[nodiscard]] __device__ const double* form(int i) const { return values + memory.forms + form_entries * i; }
  /// q'_p A_p of coordinate i.
  [[nodiscard]] __device__ double* turned(int i) const { return values + memory.turned + 3 * i; }
  [[nodiscard]] __device__ const double* product(int which) const {
    return products + NearProducts(r, flies()).first[which];
  }
  [[nodiscard]] __device__ double share() const { return s.spin.middle; }
  [[nodiscard]] __device__ double damping() const { return world.batch.rayleigh_stiffness[number]; }
  [[nodiscard]] __device__ double stiffness() const { return world.batch.stiffness_scale[number]; }
  [[nodiscard]] __device__ ContactLaw law() const {
    ContactLaw law = s.law;
    law.friction_velocity *= search.wide;
    return law;
  }

  // ---- From round to round

  /// Ends with a barrier.
  __device__ void take() const {
    const double* from = world.near.kept + world.near.place_of(seat) * world.near.kept_size;
    for_each_index(memory.kept, [&](int n) { values[n] = from[n]; });
    __syncthreads();
  }
  __device__ void keep() const {
    double* to = world.near.kept + world.near.place_of(seat) * world.near.kept_size;
    for_each_index(memory.kept, [&](int n) { to[n] = values[n]; });
  }

  // ---- The start of the step. Ends with a barrier.

  __device__ void begin() {
    const BatchView<T>& batch = world.batch;
    const LoadScales scales = load_scales(world, number);
    for_each_index(r, [&](int i) {
      const std::int64_t at = i * batch.pitch + number;
      q()[i] = double{batch.q[at]}, velocity()[i] = double{batch.velocity[at]};
      acceleration()[i] = double{batch.acceleration[at]}, force()[i] = scales.end * double{batch.force[at]};
      last_increment()[i] = 0;
    });
    for_each_index(n, [&](int i) { correction()[i] = 0; });
    if (near_thread() == 0) {
      rigid = RigidMotion{};
      if (flies()) begin_rigid(scales);
      rigid.end = rigid.start;
      search = NearSearch{};
      search.wide = 1;
    }
    __syncthreads();
    go_on_as_before();
    if (flies()) begin_momentum();
  }
  /// The increment of a body that goes on as it did. Ends with a barrier.
  __device__ void go_on_as_before() const {
    const double h = s.step.dt, half = s.takes_mean ? 0.5 * h * h : 0.0;
    for_each_index(r, [&](int i) { increment()[i] = h * velocity()[i] + half * acceleration()[i]; });
    if (near_thread() == 0) rigid.end.spin = rigid.start.spin, rigid.end.velocity = rigid.start.velocity;
    __syncthreads();
  }
  __device__ void begin_rigid(const LoadScales& scales) const {
    const FrameArrays<T>& arrays = world.batch.frame;
    const auto rows = [&](const T* array, int row) { return rows_of(array, world.batch.pitch, row, number); };
    const double load = s.takes_mean ? mean_load(scales.start, scales.end) : scales.end;
    rigid.external_force = load * rows(arrays.wrench, 0);
    rigid.external_torque = load * rows(arrays.wrench, 3);
    const double w = double{arrays.pose[6 * world.batch.pitch + number]};
    rigid.start = {rows(arrays.pose, 0), rows(arrays.twist, 0), rows(arrays.twist, 3),
                   frame::normalised(Rotation{rows(arrays.pose, 3), w})};
    rigid.spin_rate_before = rows(arrays.twist_rate, 3);
    rigid.arm_origin = rigid.start.position;
    if (s.takes_mean) rigid.arm_origin = rigid.arm_origin + (0.5 * s.step.dt) * rigid.start.velocity;
  }
  __device__ void begin_momentum() const {
    evaluate_forms(q(), values + memory.forms);
    sum_inertia(q(), velocity());
    if (near_thread() == 0)
      rigid.start_momentum = rigid.j * rigid.start.spin + rigid.axial +
                             s.step.dt * rotate(conjugate(rigid.start.rotation), rigid.external_torque);
    __syncthreads();
  }

  // ---- The iterate

  /// The state after the increment. Ends with a barrier.
  __device__ void move() const {
    for_each_index(r, [&](int i) {
      const RowState<double> next = implicit_state(s.step, {q()[i], velocity()[i], acceleration()[i]}, increment()[i]);
      next_q()[i] = next.q, next_velocity()[i] = next.velocity, next_acceleration()[i] = next.acceleration;
    });
    if (near_thread() == 0 && flies()) {
      move_rigid();
      rigid.spin_rate = spin_rate(s.spin, rigid.start.spin, rigid.end.spin, rigid.spin_rate_before);
    }
    __syncthreads();
  }
  __device__ void move_rigid() const {
    const Place& start = rigid.start;
    const Vector3 mean = start.velocity + share() * (rigid.end.velocity - start.velocity);
    rigid.end.position = start.position + s.step.dt * mean;
    rigid.end.rotation = frame::normalised(start.rotation * frame::cayley(s.step.dt * middle()));
  }
  [[nodiscard]] __device__ Vector3 middle() const { return middle_spin(s.spin, rigid.start.spin, rigid.end.spin); }

  /// What the products are to be of.
  __device__ void put_points() const {
    const NearView& near = world.near;
    const auto put = [&](int kind, int row, double value) { near.point(kind, seat)[row * tile_bodies] = value; };
    const int kinds = flies() ? near_point_kinds : 1;
    for (int kind = 0; kind < kinds; ++kind)
      if (near_thread() == kind) put(kind, 0, 1);
    for_each_index(r, [&](int i) {
      put(near_q, i + 1, next_q()[i]);
      if (flies()) put(near_rates, i + 1, next_velocity()[i]);
    });
    if (flies() && near_thread() < inertia_factors) put(near_spins, near_thread() + 1, inertia_factor(near_thread()));
  }
  /// See `near_inertia`.
  [[nodiscard]] __device__ double inertia_factor(int k) const {
    const Vector3& w = rigid.end.spin;
    const Vector3 weights = rigid.spin_rate + (2 * s.step.a4) * w;
    const double factors[inertia_factors] = {weights.x,        weights.y,        weights.z,
                                             -0.5 * w.x * w.x, -0.5 * w.y * w.y, -0.5 * w.z * w.z,
                                             -w.y * w.z,       -w.x * w.z,       -w.x * w.y};
    double result = 0;
#pragma unroll
    for (int m = 0; m < inertia_factors; ++m)
      if (m == k) result = factors[m];
    return result;
  }

  // ---- What is elastic

  /// K, in both triangles, into the matrix, and R + C v. Ends with a barrier.
  __device__ void evaluate_energy() const {
    const double *h = product(near_h), beta = damping();
    double* a = matrix();
    for_each_index(r, [&](int i) { argument()[i] = next_q()[i] / 3 + beta * next_velocity()[i]; });
    for (int i = near_warp(); i < r; i += near_warps)
      for (int j = near_lane(); j <= i; j += warp_size)
        a[i * pitch() + j] = a[j * pitch() + i] = h[stiffness_row(i, j)];
    __syncthreads();
    const double scale = stiffness();
    for_each_index(r, [&](int i) {
      double sum = h[stiffness_rows(r) + i] / 3;
      for (int j = 0; j < r; ++j) sum = fma(a[i * pitch() + j], argument()[j], sum);
      elastic()[i] = scale * sum;
    });
    __syncthreads();
  }

  // ---- What flies

  /// D and B at coordinates. Ends with a barrier.
  __device__ void evaluate_forms(const double* at, double* to) const {
    for_each_index(form_entries * r, [&](int e) {
      const double* affine = affine_form(e / form_entries, 0) + packed_entry(e % form_entries);
      double sum = affine[0];
      for (int p = 0; p < r; ++p) sum = fma(affine[frame_entries * (p + 1)], at[p], sum);
      to[e] = sum;
    });
    __syncthreads();
  }
  /// Where FrameView::forms has it.
  [[nodiscard]] static __device__ int packed_entry(int entry) {
    return entry + entry / 3;
  }
  [[nodiscard]] __device__ const double* affine_form(int i, int p) const {
    return frame->forms + (std::int64_t{i} * (r + 1) + p) * frame_entries;
  }
  [[nodiscard]] static __device__ Vector3 symmetric_times(const double* form, const Vector3& w) {
    return frame::Symmetric3<double>{form[0], form[1], form[2], form[3], form[4], form[5]} * w;
  }
  [[nodiscard]] static __device__ Vector3 axial_of(const double* form) {
    return vector_at(form + symmetric_count);
  }

  /// J and B q', a lane for each number. Ends with a barrier.
  __device__ void sum_inertia(const double* at, const double* rate) const {
    const int e = near_thread();
    if (e < form_entries) {
      double sum = e < symmetric_count ? frame->rest[e] : 0.0;
      for (int i = 0; i < r; ++i)
        sum = e < symmetric_count ? fma(0.5 * at[i], affine_form(i, 0)[packed_entry(e)] + form(i)[e], sum)
                                  : fma(rate[i], form(i)[e], sum);
      sums()[e] = sum;
    }
    __syncthreads();
    if (near_thread() == 0) {
      const double* sum = sums();
      rigid.j = {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
      rigid.axial = vector_at(sum + symmetric_count);
    }
    __syncthreads();
  }

  /// Of q's equations, and what is left of those of the momenta. Ends with a barrier.
  __device__ void evaluate_inertia() const {
    const double *forms = product(near_forms), *turns = product(near_turned);
    for_each_index(form_entries * r, [&](int e) { values[memory.forms + e] = forms[e]; });
    for_each_index(3 * r, [&](int e) { values[memory.turned + e] = turns[e]; });
    __syncthreads();
    sum_inertia(next_q(), next_velocity());
    if (near_thread() == 0) {
      rigid.momentum = rigid.j * rigid.end.spin + rigid.axial;
      const Vector3 torque = s.takes_mean ? 0.5 * (rigid.start_torque + rigid.torque) : rigid.torque;
      rigid.free_momentum = rigid.start_momentum + s.step.dt * rotate(conjugate(rigid.start.rotation), torque);
      put_vector(momentum_defect(s.spin, middle(), rigid.free_momentum, rigid.momentum), residual() + r);
      const Vector3 change = frame->mass * (rigid.end.velocity - rigid.start.velocity);
      put_vector(change - s.step.dt * outer_force(), residual() + r + 3);
    }
    const Vector3 w = rigid.end.spin;
    for_each_index(r, [&](int i) {
      inertial()[i] = dot(axial_of(form(i)), rigid.spin_rate) + 2 * dot(w, vector_at(turned(i))) -
                      0.5 * dot(w, symmetric_times(form(i), w));
    });
    __syncthreads();
  }
  [[nodiscard]] __device__ Vector3 outer_force() const {
    return rigid.external_force + (s.takes_mean ? 0.5 * (rigid.start_force + rigid.force) : rigid.force);
  }
  [[nodiscard]] __device__ double mean_inertia() const {
    return (rigid.j.xx + rigid.j.yy + rigid.j.zz) / 3;
  }

  // ---- What is left

  /// What is left of the equations, and how large their terms are, for all threads.
  struct Left {
    double residual, size, along_correction;
  };
  /// At the state that `move` has made, given the contacts' forces and the products.
  [[nodiscard]] __device__ Left evaluate() const {
    evaluate_energy();
    if (flies()) evaluate_inertia();
    const double alpha = world.batch.rayleigh_mass[number];
    for_each_index(r, [&](int i) {
      residual()[i] = implicit_inertia(next_acceleration()[i], alpha, next_velocity()[i]) + elastic()[i] - force()[i] -
                      contact_force()[i] + (flies() ? inertial()[i] : 0.0);
    });
    __syncthreads();
    put_dots();
    __syncthreads();
    const double* sum = sums();
    double square = sum[0], size = 0;
    for (int k = 1; k < 6; ++k) size += std::sqrt(sum[k]);
    if (flies()) add_rigid(square, size);
    return {std::sqrt(square), size, sum[6] + share() * sum[7]};
  }
  // Squares of the residual and of its terms, and the work of the residual on the correction; two sums per warp.
  __device__ void put_dots() const {
    constexpr int dots = 8;
    const double* lefts[dots] = {residual(),      next_acceleration(), elastic(),  force(),
                                 contact_force(), inertial(),          residual(), residual() + r};
    for (int k = near_warp(); k < dots; k += near_warps) {
      const double* left = lefts[0];
#pragma unroll
      for (int m = 1; m < dots; ++m)
        if (m == k) left = lefts[m];
      const double* right = k == 6 ? correction() : k == 7 ? correction() + r : left;
      const int length = k == 7 ? n - r : k == 5 && !flies() ? 0 : r;
      const double sum = warp_dot(left, right, length);
      if (near_lane() == 0) sums()[k] = sum;
    }
  }
  __device__ void add_rigid(double& square, double& size) const {
    const double h = s.step.dt, weight = s.takes_mean ? 0.5 : 1, inertia = mean_inertia(), mass = frame->mass;
    const Vector3 of_spin = vector_at(residual() + r), of_velocity = vector_at(residual() + r + 3);
    square += dot(of_spin, of_spin) / (h * h * inertia) + dot(of_velocity, of_velocity) / (h * h * mass);
    size += (norm(rigid.momentum) + norm(rigid.free_momentum)) / (h * std::sqrt(inertia)) +
            (mass * norm(rigid.end.velocity - rigid.start.velocity) / h + norm(rigid.external_force) +
             weight * (norm(rigid.start_force) + norm(rigid.force))) /
                std::sqrt(mass);
  }

  static constexpr int symmetric_count = 6;
};

}  // namespace quartic::cuda
