// The rigid motion of bodies side by side, and vectors in such rows: values are stored as [row][lane].
#pragma once

#include <cstddef>

#include "core/frame/rotation.hpp"
#include "core/frame/symmetric3.hpp"

namespace quartic::cpu {

/// What the kernels of free bodies read and write.
template <class T>
struct FrameRows {
  T *pose, *twist, *twist_rate, *wrench;        // as the batch has them
  T *next_pose, *next_twist, *next_twist_rate;  // at the step's end
  T *point, *forms, *inertia, *turned;          // of the evaluation: (1, q), D and B, J, q'_p A_pi
  T *start_forms, *start_turned;                // the energy-conserving scheme's, at the step's start
  T *quadratic_spin, *spin_defect, *coupling;   // of an iteration
  T *axial_part, *momentum, *start_momentum;    // B x, pi, pi0 with the torque's impulse
  T* load;                                      // what the wrench is multiplied with
};

/// Vectors, symmetric matrices and rotations of a lane.
template <class T, int lanes>
struct LaneRows {
  using Vector = frame::Vector3<T>;

  [[gnu::always_inline]] static Vector vector(const T* rows, int lane) {
    return {rows[lane], rows[lanes + lane], rows[2 * lanes + lane]};
  }
  [[gnu::always_inline]] static void put(T* rows, int lane, const Vector& value) {
    rows[lane] = value.x, rows[lanes + lane] = value.y, rows[2 * lanes + lane] = value.z;
  }
  [[gnu::always_inline]] static frame::Symmetric3<T> symmetric(const T* rows, int lane) {
    constexpr std::ptrdiff_t row = lanes;
    const T* d = rows + lane;
    return {d[0], d[row], d[2 * row], d[3 * row], d[4 * row], d[5 * row]};
  }
  /// Of a pose.
  [[gnu::always_inline]] static frame::Quaternion<T> rotation(const T* pose, int lane) {
    return {vector(pose + 3 * lanes, lane), pose[6 * lanes + lane]};
  }
  [[gnu::always_inline]] static void put_rotation(T* pose, int lane, const frame::Quaternion<T>& rotation) {
    put(pose + 3 * lanes, lane, rotation.vector);
    pose[6 * lanes + lane] = rotation.w;
  }
  /// The angular half of a twist or of its rate.
  [[gnu::always_inline]] static Vector spin(const T* twist, int lane) { return vector(twist + 3 * lanes, lane); }
};

}  // namespace quartic::cpu
