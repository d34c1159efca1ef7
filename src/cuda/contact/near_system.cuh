// The derivatives of a body's equations with contacts by its increment, its angular and its linear velocity.
#pragma once

#include "cuda/contact/near_body.cuh"

namespace quartic::cuda {

/// Adds to the matrix of a body. Each function ends with a barrier.
template <class T>
class NearSystem {
 public:
  __device__ explicit NearSystem(const NearBody<T>& body)
      : b_(body), s_(body.s), a_(body.matrix()), pitch_(body.pitch()), r_(body.r), n_(body.n) {}

  /// @param slope of friction's force
  __device__ void form(FrictionSlope slope) {
    const SystemScales<double> scales = implicit_system(s_.step, b_.alpha, b_.beta, b_.stiffness);
    const double* h = b_.values + b_.memory.h;
    for_each_index(n_ * n_, [&](int e) {
      const int i = e / n_, j = e % n_;
      double value = 0;
      if (i < r_ && j < r_) value = scales.stiffness * h[i >= j ? stiffness_row(i, j) : stiffness_row(j, i)];
      if (i == j && i < r_) value += scales.diagonal;
      if (i < r_ && j < r_ && b_.flies()) value += inertia_entry(i, j);
      a_[i * pitch_ + j] = value;
    });
    __syncthreads();
    if (b_.flies()) add_rigid_rows();
    add_contacts(slope);
  }

 private:
  [[nodiscard]] __device__ double& at(int i, int j) const { return a_[i * pitch_ + j]; }

  // What `inertial()` changes by with q and q'.
  [[nodiscard]] __device__ double inertia_entry(int i, int p) const {
    const Vector3& w = b_.rigid.end.spin;
    const Vector3 weights = b_.rigid.spin_rate + (2 * s_.step.a4) * w;
    const double* form = b_.affine_form(i, p + 1);
    return dot(b_.axial_of(form), weights) - 0.5 * dot(w, b_.symmetric_times(form, w));
  }

  // I + h/2 u^ times x.
  [[nodiscard]] __device__ Vector3 turned_by_middle(const Vector3& x) const {
    return x + (0.5 * s_.step.dt) * cross(b_.middle(), x);
  }

  __device__ void add_rigid_rows() const {
    const RigidMotion& rigid = b_.rigid;
    const Vector3& w = rigid.end.spin;
    for_each_index(r_, [&](int i) {
      const Vector3 d = b_.symmetric_times(b_.form(i), w), b = b_.axial_of(b_.form(i)),
                    turned = vector_at(b_.turned(i));
      put_vector(s_.spin.rate * b + 2.0 * turned - d, &at(i, r_));
      const Vector3 column = turned_by_middle(d + s_.step.a4 * b - turned);
      at(r_, i) = column.x, at(r_ + 1, i) = column.y, at(r_ + 2, i) = column.z;
    });
    if (near_thread() == 0) {
      const Matrix3 spin = defect_derivative(s_.spin, rigid.j, b_.middle(), rigid.free_momentum + rigid.momentum);
      for (int k = 0; k < 3; ++k) {
        put_vector(spin.row[k], &at(r_ + k, r_));
        at(r_ + 3 + k, r_ + 3 + k) = b_.frame->mass;
      }
    }
    __syncthreads();
  }

  // A contact's derivatives, its place in the body's frame and its arm, for the threads that form its rows.
  [[nodiscard]] __device__ double* terms(int slot) const { return b_.values + b_.memory.terms + slot * contact_terms; }
  __device__ void prepare(int slot, int c, FrictionSlope slope) const {
    const ContactResponse response = b_.response(c, slope);
    double* to = terms(slot);
    put_matrix(response.by_place + s_.step.a4 * response.by_velocity, to);
    if (!b_.flies()) return;
    const double h = s_.step.dt;
    put_matrix((h * b_.share()) * response.by_place + response.by_velocity, to + 9);
    const Vector3 place = b_.record_vector(record_place, c);
    const Vector3 y = rotate(conjugate(b_.rigid.end.rotation), place - b_.rigid.end.position);
    put_vector(y, to + 18);
    put_vector(place - b_.rigid.arm_origin, to + 21);
  }

  // A column of a contact's rows: dx = R1 (U dd + h m dw x y) + h m dv, and dv_a = R1 (a4 U dd + dw x y) + dv.
  __device__ void form_column(int slot, int c, int j) const {
    const double* term = terms(slot);
    const double weight = s_.step.dt * (s_.takes_mean ? 0.5 : 1);
    const Rotation &end = b_.rigid.end.rotation, &start = b_.rigid.start.rotation;
    Vector3 left, right;
    if (j < r_) {
      left = rotate(end, vector_at(b_.field(c) + 3 * j));
      right = matrix_at(term) * left;
    } else {
      Vector3 axis;
      (j % 3 == r_ % 3 ? axis.x : j % 3 == (r_ + 1) % 3 ? axis.y : axis.z) = 1;
      if (j < r_ + 3) {
        left = weight * cross(rotate(start, axis), vector_at(term + 21));
        right = matrix_at(term + 9) * rotate(end, cross(axis, vector_at(term + 18)));
      } else {
        left = weight * axis;
        right = matrix_at(term + 9) * axis;
      }
    }
    const auto put = [&](int array, const Vector3& v) {
      double* to = b_.values + array + 3 * slot * n_ + j;
      to[0] = v.x, to[n_] = v.y, to[2 * n_] = v.z;
    };
    put(b_.memory.left, left);
    put(b_.memory.right, right);
  }

  // A += left^T right over the contacts that touch, a few at a time, in their order.
  __device__ void add_contacts(FrictionSlope slope) const {
    int next = 0;
    while (next < b_.count) {
      int chosen[near_contacts], size = 0;
      for (; next < b_.count && size < near_contacts; ++next)
        if (b_.record(record_gap, next) < 0) chosen[size++] = next;
      if (near_thread() < size) prepare(near_thread(), chosen_at(chosen, near_thread()), slope);
      __syncthreads();
      for_each_index(size * n_, [&](int e) { form_column(e / n_, chosen_at(chosen, e / n_), e % n_); });
      __syncthreads();
      const double *left = b_.values + b_.memory.left, *right = b_.values + b_.memory.right;
      for_each_index(n_ * n_, [&](int e) {
        const int i = e / n_, j = e % n_;
        double sum = 0;
        for (int row = 0; row < 3 * size; ++row) sum = fma(left[row * n_ + i], right[row * n_ + j], sum);
        at(i, j) += sum;
      });
      __syncthreads();
    }
  }
  [[nodiscard]] static __device__ int chosen_at(const int (&chosen)[near_contacts], int slot) {
    int result = chosen[0];
    for (int k = 1; k < near_contacts; ++k)
      if (slot == k) result = chosen[k];
    return result;
  }

  const NearBody<T>& b_;
  const ContactSettings& s_;
  double* a_;
  int pitch_, r_, n_;
};

}  // namespace quartic::cuda
