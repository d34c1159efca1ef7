// A body with contacts in the hands of a block: the equations of src/cpu/contact/body_stepper.cpp in its state at an
// iterate, and their derivatives. All arrays are in shared memory but for what is known of each contact, which is in
// the candidates' records: a thread per contact, per coordinate, or per entry of the matrix, sums in the order of
// contacts and coordinates.
#pragma once

#include "core/batch/scheme.hpp"
#include "core/frame/symmetric3.hpp"
#include "cuda/base/shared_memory.cuh"
#include "cuda/contact/near_energy.cuh"
#include "cuda/contact/near_memory.hpp"
#include "cuda/contact/world_view.hpp"

namespace quartic::cuda {

using Matrix3 = frame::Matrix3<double>;
using Rotation = frame::Quaternion<double>;

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
/// A^T x.
[[nodiscard]] __device__ inline Vector3 transposed_times(const Matrix3& a, const Vector3& x) {
  return x.x * a.row[0] + x.y * a.row[1] + x.z * a.row[2];
}

/// Where and how fast a body is.
struct Place {
  Vector3 position, velocity, spin;
  Rotation rotation;
};

/// What all threads know of a body's rigid motion, written by one.
struct RigidMotion {
  Place start, end;
  Vector3 external_force, external_torque, spin_rate_before;  // of the step
  Vector3 arm_origin;                                         // in the world
  Vector3 start_momentum, free_momentum;                      // in body axes
  Vector3 momentum, spin_rate, axial;                         // at the iterate: J w + B q', w', B q'
  Vector3 start_force, start_torque, force, torque;           // of contacts, about the arms' origin
  frame::Symmetric3<double> j;
};

template <class T>
struct NearBody {
  const WorldView<T>& world;
  const ContactSettings& s;
  const ModelView<double>& model;
  const TreeView& tree;
  const FrameView<double>* frame;  // null for a body that is held
  std::int64_t number;             // of the body
  std::int64_t first;              // of its candidates
  int count;
  int r, n;
  NearMemory memory;
  double alpha, beta, stiffness, load;
  RigidMotion& rigid;
  double* values;

  __device__ NearBody(const WorldView<T>& all, std::int64_t body, RigidMotion& motion)
      : world(all),
        s(all.settings),
        model(all.models[all.groups[body]]),
        tree(all.trees[all.groups[body]]),
        frame(all.flies(body) ? all.frames + all.groups[body] : nullptr),
        number(body),
        first(all.candidates.firsts[body]),
        count(static_cast<int>(all.candidates.counts[body])),
        r(model.rank),
        n(NearMemory::unknowns(r, flies())),
        memory(r, flies()),
        alpha(all.batch.rayleigh_mass[body]),
        beta(all.batch.rayleigh_stiffness[body]),
        stiffness(all.batch.stiffness_scale[body]),
        rigid(motion),
        values(reinterpret_cast<double*>(shared_memory())) {}

  [[nodiscard]] __device__ bool flies() const { return frame != nullptr; }
  [[nodiscard]] __device__ double* vector(int which) const { return values + memory.vectors + which * r; }
  [[nodiscard]] __device__ double* q() const { return vector(0); }
  [[nodiscard]] __device__ double* velocity() const { return vector(1); }
  [[nodiscard]] __device__ double* acceleration() const { return vector(2); }
  [[nodiscard]] __device__ double* force() const { return vector(3); }
  [[nodiscard]] __device__ double* increment() const { return vector(4); }
  [[nodiscard]] __device__ double* next_q() const { return vector(5); }
  [[nodiscard]] __device__ double* next_velocity() const { return vector(6); }
  [[nodiscard]] __device__ double* next_acceleration() const { return vector(7); }
  [[nodiscard]] __device__ double* contact_force() const { return vector(8); }
  [[nodiscard]] __device__ double* elastic() const { return vector(9); }
  [[nodiscard]] __device__ double* inertial() const { return vector(10); }
  [[nodiscard]] __device__ double* last_increment() const { return vector(11); }
  [[nodiscard]] __device__ double* argument() const { return vector(12); }
  [[nodiscard]] __device__ double* residual() const { return values + memory.residual; }
  [[nodiscard]] __device__ double* correction() const { return values + memory.correction; }
  [[nodiscard]] __device__ double* matrix() const { return values + memory.matrix; }
  [[nodiscard]] __device__ int pitch() const { return NearMemory::pitch(r, flies()); }
  /// D_i and B_i at the iterate, packed as FrameView::forms.
  [[nodiscard]] __device__ const double* form(int i) const { return values + memory.forms + 12 * i; }
  /// q'_p A_p of coordinate i.
  [[nodiscard]] __device__ double* turned(int i) const { return values + memory.turned + 3 * i; }
  /// A row of the record of candidate c.
  [[nodiscard]] __device__ double& record(int row, int c) const {
    return world.candidates.records[row * world.candidates.capacity + first + c];
  }
  [[nodiscard]] __device__ Vector3 record_vector(int row, int c) const {
    return {record(row, c), record(row + 1, c), record(row + 2, c)};
  }
  __device__ void put_record(int row, int c, const Vector3& v) const {
    record(row, c) = v.x, record(row + 1, c) = v.y, record(row + 2, c) = v.z;
  }
  [[nodiscard]] __device__ std::int64_t point(int c) const { return world.candidates.points[first + c]; }
  [[nodiscard]] __device__ const double* field(int c) const { return tree.basis + 3 * point(c) * r; }
  [[nodiscard]] __device__ double share() const { return s.spin.middle; }

  // ---- The start of the step. Ends with a barrier.

  __device__ void begin() {
    const BatchView<T>& batch = world.batch;
    const LoadScales scales = load_scales(world, number);
    const double h = s.step.dt;
    for_each_index(r, [&](int i) {
      const std::int64_t at = i * batch.pitch + number;
      q()[i] = double{batch.q[at]}, velocity()[i] = double{batch.velocity[at]};
      acceleration()[i] = double{batch.acceleration[at]}, force()[i] = scales.end * double{batch.force[at]};
      // Bodies go on as they did.
      increment()[i] = s.takes_mean ? h * velocity()[i] + 0.5 * h * h * acceleration()[i] : h * velocity()[i];
    });
    if (near_thread() == 0) {
      rigid = RigidMotion{};
      rigid.j = {};
      if (flies()) begin_rigid(scales);
      rigid.end = rigid.start;
    }
    __syncthreads();
    if (!flies()) return;
    evaluate_forms(q());
    if (near_thread() == 0) {
      sum_inertia(q(), velocity());
      rigid.start_momentum =
          rigid.j * rigid.start.spin + rigid.axial + h * rotate(conjugate(rigid.start.rotation), rigid.external_torque);
    }
    __syncthreads();
    if (!s.takes_mean) return;
    touch(world.shapes.start, rigid.start, q(), velocity());
    sum_contacts();
    if (near_thread() == 0) rigid.start_force = rigid.force, rigid.start_torque = rigid.torque;
    __syncthreads();
  }

  __device__ void begin_rigid(const LoadScales& scales) {
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

  // ---- Contacts

  /// Their records at a place, by `motions` of the shapes. Ends with a barrier.
  __device__ void touch(const Motion* motions, const Place& place, const double* at, const double* rate) const {
    for_each_index(count, [&](int c) {
      const double *x = tree.positions + 3 * point(c), *u = field(c);
      Vector3 y = vector_at(x) - tree.origin, slow;
      for (int j = 0; j < r; ++j, u += 3) y = y + at[j] * vector_at(u), slow = slow + rate[j] * vector_at(u);
      if (flies()) slow = slow + cross(place.spin, y);
      const Vector3 where = place.position + rotate(place.rotation, y);
      const Vector3 speed = place.velocity + rotate(place.rotation, slow);
      const int shape = world.candidates.shapes[first + c];
      const Motion& motion = motions[shape];
      const NearestOnSolid nearest = world.shapes.solids[shape].at(apply(inverse(motion.pose), where));
      const Vector3 carried = motion.velocity + cross(motion.spin, where - motion.pose.position);
      put_record(record_place, c, where);
      record(record_gap, c) = nearest.gap;
      put_record(record_normal, c, rotate(motion.pose.rotation, nearest.normal));
      put_record(record_velocity, c, speed - carried);
      const Vector3 f = response(c, FrictionSlope::secant).force;
      put_record(record_force, c, f);
      put_record(record_turned, c, rotate(conjugate(place.rotation), f));
    });
    __syncthreads();
  }

  [[nodiscard]] __device__ ContactResponse response(int c, FrictionSlope slope) const {
    return contact_response(s.law, tree.areas[point(c)], record(record_gap, c), record_vector(record_normal, c),
                            record_vector(record_velocity, c), slope);
  }

  /// Forces on q, and force and torque about the arms' origin. Ends with a barrier.
  __device__ void sum_contacts() const {
    for_each_index(r + 1, [&](int i) {
      if (i == r) return sum_wrench();
      double sum = 0;
      for (int c = 0; c < count; ++c)
        if (record(record_gap, c) < 0) sum += dot(vector_at(field(c) + 3 * i), record_vector(record_turned, c));
      contact_force()[i] = sum;
    });
    __syncthreads();
  }
  __device__ void sum_wrench() const {
    Vector3 sum, torque;
    for (int c = 0; c < count; ++c) {
      if (!(record(record_gap, c) < 0)) continue;
      const Vector3 f = record_vector(record_force, c);
      sum = sum + f;
      torque = torque + cross(record_vector(record_place, c) - rigid.arm_origin, f);
    }
    rigid.force = sum, rigid.torque = torque;
  }

  // ---- The iterate

  /// The state after the increment. Ends with a barrier.
  __device__ void move() {
    for_each_index(r, [&](int i) {
      const RowState<double> next = implicit_state(s.step, {q()[i], velocity()[i], acceleration()[i]}, increment()[i]);
      next_q()[i] = next.q, next_velocity()[i] = next.velocity, next_acceleration()[i] = next.acceleration;
      (values + memory.point)[i + 1] = next.q;
    });
    if (near_thread() == 0) {
      values[memory.point] = 1;
      if (flies()) move_rigid();
    }
    __syncthreads();
  }
  __device__ void move_rigid() {
    const Place& start = rigid.start;
    const Vector3 mean = start.velocity + share() * (rigid.end.velocity - start.velocity);
    rigid.end.position = start.position + s.step.dt * mean;
    rigid.end.rotation = frame::normalised(start.rotation * frame::cayley(s.step.dt * middle()));
  }
  [[nodiscard]] __device__ Vector3 middle() const { return middle_spin(s.spin, rigid.start.spin, rigid.end.spin); }

  /// What is left of the equations, and how large their terms are, for all threads.
  struct Left {
    double residual, size;
  };
  __device__ Left evaluate() {
    move();
    touch(world.shapes.end, rigid.end, next_q(), next_velocity());
    sum_contacts();
    evaluate_energy();
    if (flies()) evaluate_inertia();
    for_each_index(r, [&](int i) {
      residual()[i] = implicit_inertia(next_acceleration()[i], alpha, next_velocity()[i]) + elastic()[i] - force()[i] -
                      contact_force()[i] + (flies() ? inertial()[i] : 0.0);
    });
    __syncthreads();
    double square = dot_product(residual(), residual(), r);
    double size = norm_of(next_acceleration()) + norm_of(elastic()) + norm_of(force()) + norm_of(contact_force());
    if (flies()) add_rigid(square, size);
    return {std::sqrt(square), size};
  }
  [[nodiscard]] __device__ double norm_of(const double* x) const { return std::sqrt(dot_product(x, x, r)); }

  __device__ void evaluate_energy() const {
    double* h = values + memory.h;
    evaluate_h(model, values + memory.point, values + memory.monomials, h);
    for_each_index(r, [&](int i) { argument()[i] = next_q()[i] / 3 + beta * next_velocity()[i]; });
    __syncthreads();
    for_each_index(r, [&](int i) {
      double sum = h[stiffness_rows(r) + i] / 3;
      for (int j = 0; j < r; ++j) sum = fma(h[i >= j ? stiffness_row(i, j) : stiffness_row(j, i)], argument()[j], sum);
      elastic()[i] = stiffness * sum;
    });
  }

  // ---- What flies

  /// D and B at coordinates. Ends with a barrier.
  __device__ void evaluate_forms(const double* at) const {
    for_each_index(12 * r, [&](int e) {
      const double* affine = frame->forms + std::int64_t{e / 12} * (r + 1) * 12 + e % 12;
      double sum = affine[0];
      for (int p = 0; p < r; ++p) sum = fma(affine[12 * (p + 1)], at[p], sum);
      values[memory.forms + e] = sum;
    });
    __syncthreads();
  }
  [[nodiscard]] static __device__ Vector3 symmetric_times(const double* packed, const Vector3& w) {
    return frame::Symmetric3<double>{packed[0], packed[1], packed[2], packed[4], packed[5], packed[6]} * w;
  }
  [[nodiscard]] static __device__ Vector3 axial_of(const double* packed) { return vector_at(packed + 8); }
  [[nodiscard]] __device__ const double* affine_form(int i, int p) const {
    return frame->forms + (std::int64_t{i} * (r + 1) + p) * 12;
  }

  /// J and B q', by one thread.
  __device__ void sum_inertia(const double* at, const double* rate) const {
    double sum[6];
    for (int e = 0; e < 6; ++e) sum[e] = frame->rest[e];
    Vector3 axial;
    for (int i = 0; i < r; ++i) {
      const double *d = form(i), *rest = affine_form(i, 0);
      for (int e = 0; e < 6; ++e) sum[e] += 0.5 * at[i] * (rest[e + e / 3] + d[e + e / 3]);
      axial = axial + rate[i] * axial_of(d);
    }
    rigid.j = {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
    rigid.axial = axial;
  }

  /// Ends with a barrier.
  __device__ void evaluate_inertia() {
    evaluate_forms(next_q());
    if (near_thread() == 0) {
      sum_inertia(next_q(), next_velocity());
      rigid.spin_rate = spin_rate(s.spin, rigid.start.spin, rigid.end.spin, rigid.spin_rate_before);
      rigid.momentum = rigid.j * rigid.end.spin + rigid.axial;
      const Vector3 torque = s.takes_mean ? 0.5 * (rigid.start_torque + rigid.torque) : rigid.torque;
      rigid.free_momentum = rigid.start_momentum + s.step.dt * rotate(conjugate(rigid.start.rotation), torque);
      put_vector(momentum_defect(s.spin, middle(), rigid.free_momentum, rigid.momentum), residual() + r);
      const Vector3 change = frame->mass * (rigid.end.velocity - rigid.start.velocity);
      put_vector(change - s.step.dt * outer_force(), residual() + r + 3);
    }
    __syncthreads();
    const Vector3 w = rigid.end.spin;
    for_each_index(r, [&](int i) {
      Vector3 sum;
      for (int p = 0; p < r; ++p) sum = sum + next_velocity()[p] * axial_of(affine_form(i, p + 1));
      put_vector(sum, turned(i));
      inertial()[i] =
          dot(axial_of(form(i)), rigid.spin_rate) + 2 * dot(w, sum) - 0.5 * dot(w, symmetric_times(form(i), w));
    });
    __syncthreads();
  }
  [[nodiscard]] __device__ Vector3 outer_force() const {
    return rigid.external_force + (s.takes_mean ? 0.5 * (rigid.start_force + rigid.force) : rigid.force);
  }
  [[nodiscard]] __device__ double mean_inertia() const { return (rigid.j.xx + rigid.j.yy + rigid.j.zz) / 3; }

  __device__ void add_rigid(double& square, double& size) const {
    const double h = s.step.dt, weight = s.takes_mean ? 0.5 : 1, inertia = mean_inertia(), mass = frame->mass;
    square += dot_product(residual() + r, residual() + r, 3) / (h * h * inertia) +
              dot_product(residual() + r + 3, residual() + r + 3, 3) / (h * h * mass);
    size += norm_of(inertial()) + (norm(rigid.momentum) + norm(rigid.free_momentum)) / (h * std::sqrt(inertia)) +
            (mass * norm(rigid.end.velocity - rigid.start.velocity) / h + norm(rigid.external_force) +
             weight * (norm(rigid.start_force) + norm(rigid.force))) /
                std::sqrt(mass);
  }
};

}  // namespace quartic::cuda
