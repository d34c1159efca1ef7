// What kernels see of the inertia of free bodies.
#pragma once

#include "core/batch/free_scheme.hpp"

namespace quartic::cuda {

/// Of one model: D_i and B_i of core/frame/inertia_forms.hpp, which are affine in q, and J, of which D_i is the
/// derivative:
///   J = J0 + sum_i q_i (J1_i + sum_{p<i} 2 J2_ip q_p + J2_ii q_i).
template <class T>
struct FrameView {
  const T* forms;              // [i][p][12]: the coefficients of D_i and B_i for q^_p, q^ = (1, q); see frame_entries
  const T* unit_acceleration;  // shape (r, 3); null but for bodies on a base whose motion is prescribed
  T mass;
  T rest[6];  // J0: xx yy zz yz xz xy
};

/// Entries of a form, in packs that one instruction loads: xx yy zz 0, yz xz xy 0, then B's x y z 0.
inline constexpr int frame_entries = 12;
inline constexpr int frame_pack = 4;

/// The rigid motion of a batch, null without free bodies.
template <class T>
struct FrameArrays {
  const FrameView<T>* models;    // by group; those without a frame have no forms
  T *pose, *twist, *twist_rate;  // shape (7, pitch), (6, pitch), (6, pitch)
  const T* wrench;               // shape (6, pitch)
  T* momentum;                   // angular, in body axes, at the start of the step; shape (3, pitch)
  T* next_spin;                  // angular velocity at its end, from one iteration to the next; shape (3, pitch)
  T* rows;                       // frame_rows for each body of a tile, where shared memory is too small
  SpinSettings<T> settings;      // of the steps at work
};

/// J and B q'.
inline constexpr int frame_sums = 9;
/// Rows of a body that an iteration works in: those; a rate; B and then its part of the stiffness, three for each
/// coordinate.
[[nodiscard]] __host__ __device__ constexpr int frame_rows(int rank) {
  return frame_sums + 4 * rank;
}
/// The same of bodies one by one: also what each coordinate adds to the sums, and the increment.
[[nodiscard]] __host__ __device__ constexpr int single_frame_rows(int rank) {
  return frame_rows(rank) + (frame_sums + 1) * rank;
}

}  // namespace quartic::cuda
