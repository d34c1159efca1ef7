// The derivatives of a body's equations with contacts by its increment, its angular and its linear velocity.
#pragma once

#include "cuda/base/mma.cuh"
#include "cuda/contact/near_contacts.cuh"

namespace quartic::cuda {

/// Makes the matrix of a body from K, which lies there. Each function ends with a barrier.
template <class T>
class NearSystem {
 public:
  __device__ explicit NearSystem(const NearBody<T>& body)
      : b_(body),
        contacts_(body),
        s_(body.s),
        a_(body.matrix()),
        pitch_(body.pitch()),
        row_pitch_(NearMemory::row_pitch(body.r, body.flies())),
        r_(body.r),
        n_(body.n) {}

  /// @param slope of friction's force
  __device__ void form(FrictionSlope slope) const {
    const double alpha = b_.world.batch.rayleigh_mass[b_.number];
    const SystemScales<double> scales = implicit_system(s_.step, alpha, b_.damping(), b_.stiffness());
    const double* inertia = b_.product(near_inertia);
    for (int i = near_warp(); i < r_; i += near_warps)
      for (int j = near_lane(); j < r_; j += warp_size) {
        double value = scales.stiffness * at(i, j) + (i == j ? scales.diagonal : 0.0);
        if (b_.flies()) value += inertia[i * r_ + j];
        at(i, j) = value;
      }
    if (b_.flies()) put_rigid_rows();
    __syncthreads();
    add_contacts(slope);
  }

 private:
  [[nodiscard]] __device__ double& at(int i, int j) const { return a_[i * pitch_ + j]; }

  // I + h/2 u^ times x.
  [[nodiscard]] __device__ Vector3 turned_by_middle(const Vector3& x) const {
    return x + (0.5 * s_.step.dt) * cross(b_.middle(), x);
  }

  // And columns, none of which is K's.
  __device__ void put_rigid_rows() const {
    const RigidMotion& rigid = b_.rigid;
    const Vector3& w = rigid.end.spin;
    for_each_index(r_, [&](int i) {
      const Vector3 d = b_.symmetric_times(b_.form(i), w), b = b_.axial_of(b_.form(i)),
                    turned = vector_at(b_.turned(i));
      put_vector(s_.spin.rate * b + 2.0 * turned - d, &at(i, r_));
      put_vector({}, &at(i, r_ + 3));
      const Vector3 column = turned_by_middle(d + s_.step.a4 * b - turned);
      at(r_, i) = column.x, at(r_ + 1, i) = column.y, at(r_ + 2, i) = column.z;
      for (int k = 3; k < 6; ++k) at(r_ + k, i) = 0;
    });
    if (near_thread() != near_threads - 1) return;
    const Matrix3 spin = defect_derivative(s_.spin, rigid.j, b_.middle(), rigid.free_momentum + rigid.momentum);
    for (int k = 0; k < 3; ++k) {
      put_vector(spin.row[k], &at(r_ + k, r_));
      put_vector({}, &at(r_ + k, r_ + 3));
      put_vector({}, &at(r_ + 3 + k, r_));
      put_vector({}, &at(r_ + 3 + k, r_ + 3));
      at(r_ + 3 + k, r_ + 3 + k) = b_.frame->mass;
    }
  }

  // ---- Contacts. A += left^T right, with rows of contacts in the body's axes at the end:
  //   R1^T dx = U dd + h m (R1^T R0 dw) x y + h m R1^T dv, and R1^T dv_a = a4 U dd + dw x y + R1^T dv.

  [[nodiscard]] __device__ double* terms(int slot) const { return b_.values + b_.memory.terms + slot * contact_terms; }
  [[nodiscard]] __device__ double* axes() const { return b_.values + b_.memory.axes; }
  [[nodiscard]] __device__ double* left() const { return b_.values + b_.memory.left; }
  [[nodiscard]] __device__ double* right() const { return b_.values + b_.memory.right; }
  [[nodiscard]] __device__ int* chosen() const { return reinterpret_cast<int*>(b_.values + b_.memory.chosen); }

  // The world's axes, and those at the start, in the body's at the end; by one thread each.
  __device__ void put_axes() const {
    if (near_thread() >= 6) return;
    const int k = near_thread() % 3;
    const Rotation back = conjugate(b_.rigid.end.rotation);
    const Vector3 axis = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    put_vector(rotate(back, near_thread() < 3 ? axis : rotate(b_.rigid.start.rotation, axis)),
               axes() + 3 * near_thread());
  }

  // A contact's derivatives, its place and its arm.
  __device__ void prepare(int slot, int c, FrictionSlope slope) const {
    const Rotation back = conjugate(b_.rigid.end.rotation);
    const ContactResponse response =
        contact_response(b_.law(), b_.tree.areas[contacts_.point(c)], contacts_.record(record_gap, c),
                         rotate(back, contacts_.record_vector(record_normal, c)),
                         rotate(back, contacts_.record_vector(record_velocity, c)), slope);
    double* to = terms(slot);
    put_matrix(response.by_place + s_.step.a4 * response.by_velocity, to);
    if (!b_.flies()) return;
    put_matrix((s_.step.dt * b_.share()) * response.by_place + response.by_velocity, to + 9);
    const Vector3 place = contacts_.record_vector(record_place, c);
    put_vector(rotate(back, place - b_.rigid.end.position), to + 18);
    put_vector(rotate(back, place - b_.rigid.arm_origin), to + 21);
  }

  __device__ void put_column(double* rows, int slot, int j, const Vector3& v) const {
    double* to = rows + 3 * slot * row_pitch_ + j;
    to[0] = v.x, to[row_pitch_] = v.y, to[2 * row_pitch_] = v.z;
  }
  // Of the fields, as they lie.
  __device__ void put_fields(int slot, int c) const {
    const double* field = contacts_.field(c);
    for (int k = near_lane(); k < 3 * r_; k += warp_size) left()[(3 * slot + k % 3) * row_pitch_ + k / 3] = field[k];
  }
  __device__ void form_column(int slot, int term, int j) const {
    const double* of = terms(term);
    const double weight = s_.step.dt * (s_.takes_mean ? 0.5 : 1);
    if (j < r_) {
      const double* u = left() + 3 * slot * row_pitch_ + j;
      put_column(right(), slot, j, matrix_at(of) * Vector3{u[0], u[row_pitch_], u[2 * row_pitch_]});
    } else if (j < r_ + 3) {
      const Vector3 y = vector_at(of + 18);
      const Vector3 turn = j == r_       ? Vector3{0, -y.z, y.y}
                           : j == r_ + 1 ? Vector3{y.z, 0, -y.x}
                                         : Vector3{-y.y, y.x, 0};
      put_column(left(), slot, j, weight * cross(vector_at(axes() + 9 + 3 * (j - r_)), vector_at(of + 21)));
      put_column(right(), slot, j, matrix_at(of + 9) * turn);
    } else {
      const Vector3 axis = vector_at(axes() + 3 * (j - r_ - 3));
      put_column(left(), slot, j, weight * axis);
      put_column(right(), slot, j, matrix_at(of + 9) * axis);
    }
  }

  // 32 candidates after the other, of which those that touch, a few at a time, in their order.
  __device__ void add_contacts(FrictionSlope slope) const {
    put_axes();
    for_each_index(2 * near_contact_rows * row_pitch_, [&](int e) { left()[e] = 0; });
    for (int begin = 0; begin < b_.count; begin += warp_size) {
      const int own = begin + near_lane();
      const bool touches = own < b_.count && contacts_.record(record_gap, own) < 0;
      const unsigned which = __ballot_sync(all_lanes, touches);
      const int size = __popc(which);
      if (size == 0) continue;
      __syncthreads();
      if (near_warp() == 0 && touches) {
        const int slot = __popc(which & ((1U << near_lane()) - 1));
        chosen()[slot] = own;
        prepare(slot, own, slope);
      }
      __syncthreads();
      for (int first = 0; first < size; first += near_contacts) add_some(first, min(near_contacts, size - first));
    }
  }
  __device__ void add_some(int first, int size) const {
    for (int slot = near_warp(); slot < near_contacts; slot += near_warps)
      if (slot < size)
        put_fields(slot, chosen()[first + slot]);
      else
        for (int e = near_lane(); e < 3 * row_pitch_; e += warp_size)
          left()[3 * slot * row_pitch_ + e] = right()[3 * slot * row_pitch_ + e] = 0;
    __syncthreads();
    for (int slot = near_warp(); slot < size; slot += near_warps)
      for (int j = near_lane(); j < n_; j += warp_size) form_column(slot, first + slot, j);
    __syncthreads();
    add_product(size);
    __syncthreads();
  }

  // By matrix instructions: a warp takes 16 rows and four times 8 columns.
  __device__ void add_product(int size) const {
    constexpr int across = 4;
    const int row_tiles = (n_ + 15) / 16, column_tiles = (n_ + 7) / 8, quads = (column_tiles + across - 1) / across;
    const int steps = (3 * size + 7) / 8, g = near_lane() / 4, t = near_lane() % 4;
    for (int job = near_warp(); job < row_tiles * quads; job += near_warps) {
      const int row = job / quads * 16 + g, first = job % quads * across;
      double c[across][4];
      for_entries(
          row, first, [&](double& sum, double& entry) { sum = entry; }, c);
      for (int step = 0; step < steps; ++step) {
        const double *l = left() + (8 * step + t) * row_pitch_ + row, *low = l + 4 * row_pitch_;
        const double2 a = make_double2(l[0], l[8]), a_low = make_double2(low[0], low[8]);
#pragma unroll
        for (int k = 0; k < across; ++k) {
          if (first + k >= column_tiles) continue;
          const double* r = right() + (8 * step + t) * row_pitch_ + (first + k) * 8 + g;
          multiply_add_double(a, a_low, r[0], r[4 * row_pitch_], c[k]);
        }
      }
      for_entries(
          row, first, [&](double& sum, double& entry) { entry = sum; }, c);
    }
  }
  // The entries of A of a lane's sums.
  template <int across, class Visit>
  __device__ void for_entries(int row, int first, const Visit& visit, double (&c)[across][4]) const {
    const int t = near_lane() % 4;
#pragma unroll
    for (int k = 0; k < across; ++k)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = row + e / 2 * 8, j = (first + k) * 8 + 2 * t + e % 2;
        if (i < n_ && j < n_)
          visit(c[k][e], at(i, j));
        else
          c[k][e] = 0;
      }
  }

  const NearBody<T>& b_;
  const NearContacts<T> contacts_;
  const ContactSettings& s_;
  double* a_;
  int pitch_, row_pitch_, r_, n_;
};

}  // namespace quartic::cuda
