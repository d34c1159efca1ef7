// The forces of a body's contacts at an iterate. A warp takes `near_chunk` candidates at a time: their fields come into
// shared memory as they lie, side by side, where 32 / near_chunk lanes have one candidate each, and then, for the
// forces on coordinates, each lane a coordinate. Warps take turns, and their sums are added in the end, so that the
// order of each sum follows from the body's candidates and its rank.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/contact/near_body.cuh"

namespace quartic::cuda {

/// Of a body's candidates.
template <class T>
class NearContacts {
 public:
  __device__ explicit NearContacts(const NearBody<T>& body)
      : b_(body),
        candidates_(body.world.candidates),
        chunk_(near_chunk(body.r)),
        field_pitch_(near_field_pitch(body.r)),
        fields_(body.values + body.memory.scratch + near_warp() * near_warp_size(body.r)),
        forces_(fields_ + chunk_ * field_pitch_),
        on_q_(forces_ + 3 * chunk_) {}

  /// Records, the force on coordinates, and force and torque about the arms' origin, at a place. Ends with a barrier.
  /// @param motions of the shapes
  __device__ void touch(const Motion* motions, const Place& place, const double* at, const double* rate) const {
    for (int i = near_lane(); i < b_.r; i += warp_size) on_q_[i] = 0;
    Vector3 force, torque;
    for (int begin = near_warp() * chunk_; begin < b_.count; begin += near_warps * chunk_) {
      const int size = min(chunk_, b_.count - begin);
      fetch_fields(begin, size);
      const bool any = touch_chunk(motions, place, at, rate, begin, size, force, torque);
      if (any) add_to_coordinates(size);
      __syncwarp();
    }
    add_up(force, torque);
  }

  /// Whether this thread has a candidate that may have gone through its shape in the step, with the records of its end.
  /// @param margin of the body: no candidate has moved farther
  [[nodiscard]] __device__ bool any_went_through(const Motion* motions, const Place& place, const double* at,
                                                 const double* rate, double margin) const {
    bool any = false;
    for (int begin = near_warp() * chunk_; begin < b_.count; begin += near_warps * chunk_) {
      const int size = min(chunk_, b_.count - begin), c = begin + min(near_lane(), size - 1);
      if (!__any_sync(all_lanes, record(record_gap, c) + solid_of(c).depth < margin)) continue;
      fetch_fields(begin, size);
      any = went_through_chunk(motions, place, at, rate, begin, size) || any;
      __syncwarp();
    }
    return any;
  }

  /// A row of the record of candidate c.
  [[nodiscard]] __device__ double& record(int row, int c) const {
    return candidates_.records[row * candidates_.capacity + b_.first + c];
  }
  [[nodiscard]] __device__ Vector3 record_vector(int row, int c) const {
    return {record(row, c), record(row + 1, c), record(row + 2, c)};
  }
  [[nodiscard]] __device__ std::int64_t point(int c) const { return candidates_.points[b_.first + c]; }
  [[nodiscard]] __device__ const double* field(int c) const { return b_.tree.basis + 3 * point(c) * b_.r; }

 private:
  [[nodiscard]] __device__ const SolidView& solid_of(int c) const {
    return b_.world.shapes.solids[candidates_.shapes[b_.first + c]];
  }
  __device__ void put_record(int row, int c, const Vector3& v) const {
    record(row, c) = v.x, record(row + 1, c) = v.y, record(row + 2, c) = v.z;
  }

  // Those of `size` candidates.
  __device__ void fetch_fields(int begin, int size) const {
    const int mine = near_lane() < size ? static_cast<int>(point(begin + near_lane())) : 0;
    for (int c = 0; c < size; ++c) {
      const double* from = b_.tree.basis + std::int64_t{3} * b_.r * __shfl_sync(all_lanes, mine, c);
      for (int k = near_lane(); k < 3 * b_.r; k += warp_size)
        __pipeline_memcpy_async(fields_ + c * field_pitch_ + k, from + k, sizeof(double));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  // The place and the velocity of a lane's candidate in the body's frame.
  __device__ void move_point(int slot, const double* at, const double* rate, Vector3& y, Vector3& slow) const {
    const int lanes = warp_size / chunk_;
    const double* field = fields_ + slot * field_pitch_;
    for (int j = near_lane() % lanes; j < b_.r; j += lanes) {
      const Vector3 u = vector_at(field + 3 * j);
      y = y + at[j] * u, slow = slow + rate[j] * u;
    }
    double* const sums[6] = {&y.x, &y.y, &y.z, &slow.x, &slow.y, &slow.z};
    for (int distance = lanes / 2; distance > 0; distance /= 2)
#pragma unroll
      for (double* sum : sums) *sum += __shfl_xor_sync(all_lanes, *sum, distance);
  }

  // All lanes of a candidate do the same; the first of them writes. @return whether any touches
  __device__ bool touch_chunk(const Motion* motions, const Place& place, const double* at, const double* rate,
                              int begin, int size, Vector3& force, Vector3& torque) const {
    const int lanes = warp_size / chunk_, slot = near_lane() / lanes, c = begin + min(slot, size - 1);
    Vector3 y, slow;
    move_point(min(slot, size - 1), at, rate, y, slow);
    y = y + vector_at(b_.tree.positions + 3 * point(c)) - b_.tree.origin;
    if (b_.flies()) slow = slow + cross(place.spin, y);
    const Vector3 where = place.position + rotate(place.rotation, y);
    const Motion& motion = motions[candidates_.shapes[b_.first + c]];
    const NearestOnSolid nearest = solid_of(c).at(apply(inverse(motion.pose), where));
    const bool writes = slot < size && near_lane() % lanes == 0, touches = nearest.gap < 0;
    if (writes) record(record_gap, c) = nearest.gap;
    if (writes && touches) {
      const Vector3 speed = place.velocity + rotate(place.rotation, slow);
      const Vector3 normal = rotate(motion.pose.rotation, nearest.normal);
      const Vector3 carried = motion.velocity + cross(motion.spin, where - motion.pose.position);
      const Vector3 f = contact_response(b_.law(), b_.tree.areas[point(c)], nearest.gap, normal, speed - carried,
                                         FrictionSlope::secant)
                            .force;
      put_record(record_place, c, where);
      put_record(record_normal, c, normal);
      put_record(record_velocity, c, speed - carried);
      put_record(record_force, c, f);
      put_vector(rotate(conjugate(place.rotation), f), forces_ + 3 * slot);
      force = force + f;
      torque = torque + cross(where - b_.rigid.arm_origin, f);
    } else if (writes) {
      put_vector({}, forces_ + 3 * slot);
    }
    return __any_sync(all_lanes, writes && touches);
  }

  [[nodiscard]] __device__ bool went_through_chunk(const Motion* motions, const Place& place, const double* at,
                                                   const double* rate, int begin, int size) const {
    const int slot = min(near_lane() / (warp_size / chunk_), size - 1), c = begin + slot;
    Vector3 y, slow;
    move_point(slot, at, rate, y, slow);
    y = y + vector_at(b_.tree.positions + 3 * point(c)) - b_.tree.origin;
    if (b_.flies()) slow = slow + cross(place.spin, y);
    const Vector3 where = place.position + rotate(place.rotation, y);
    const Motion& motion = motions[candidates_.shapes[b_.first + c]];
    const NearestOnSolid nearest = solid_of(c).at(apply(inverse(motion.pose), where));
    const Vector3 speed = place.velocity + rotate(place.rotation, slow);
    const Vector3 carried = motion.velocity + cross(motion.spin, where - motion.pose.position);
    const double outwards = dot(rotate(motion.pose.rotation, nearest.normal), speed - carried);
    return went_through(nearest.gap, b_.s.step.dt * outwards, solid_of(c).depth);
  }

  __device__ void add_to_coordinates(int size) const {
    __syncwarp();
    for (int i = near_lane(); i < b_.r; i += warp_size) {
      double sum = on_q_[i];
      for (int c = 0; c < size; ++c) {
        const double *u = fields_ + c * field_pitch_ + 3 * i, *f = forces_ + 3 * c;
        sum = fma(u[0], f[0], fma(u[1], f[1], fma(u[2], f[2], sum)));
      }
      on_q_[i] = sum;
    }
  }

  // Of all warps.
  __device__ void add_up(const Vector3& force, const Vector3& torque) const {
    const double own[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      const double sum = sum_over_lanes(own[k]);
      if (near_lane() == 0) on_q_[b_.r + k] = sum;
    }
    __syncthreads();
    const double* first = b_.values + b_.memory.scratch + (on_q_ - fields_);
    const int step = near_warp_size(b_.r);
    const auto sum = [&](int i) { return (first[i] + first[step + i]) + (first[2 * step + i] + first[3 * step + i]); };
    static_assert(near_warps == 4);
    for_each_index(b_.r, [&](int i) { b_.contact_force()[i] = sum(i); });
    if (near_thread() == 0) {
      b_.rigid.force = {sum(b_.r), sum(b_.r + 1), sum(b_.r + 2)};
      b_.rigid.torque = {sum(b_.r + 3), sum(b_.r + 4), sum(b_.r + 5)};
    }
    __syncthreads();
  }

  const NearBody<T>& b_;
  const CandidatesView& candidates_;
  int chunk_, field_pitch_;
  double *fields_, *forces_, *on_q_;
};

}  // namespace quartic::cuda
