// The sections of checkpoint files. checkpoint_file.cpp lists them.
//
// A capability with data of its own in a batch adds them here, to `checkpoint_of` and to `restore`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/batch/state_layout.hpp"
#include "core/contact/body_collisions.hpp"
#include "io/tensors/file_section.hpp"
#include "quartic/batch.hpp"

namespace quartic::io {

/// An array of a batch's state.
template <class T>
struct StateRows {
  std::int64_t columns = 0;
  std::vector<T> values;  // shape (B, columns), C order
};

/// What a batch's groups must have in common with those of the batch that was saved.
struct GroupTable {
  std::vector<std::int64_t> bodies, fingerprint;
  std::vector<std::int32_t> rank;
  std::vector<std::int64_t> moments_fingerprint;   // 0 for groups without a frame; empty if no group has one
  std::vector<std::int32_t> frame_motion;          // FrameMotion; empty if no group's is prescribed
  std::vector<std::int64_t> damping_fingerprint;   // of constant dampings, 0 for groups without
  std::vector<std::int32_t> driven;                // coordinates; both empty if no group has either
  std::vector<std::int64_t> chambers_fingerprint;  // 0 for groups without; in files with pressures alone
  /// Of the forms whose strains damp, 0 for groups without; in files with bodies that are damped so alone.
  std::vector<std::int64_t> strain_damping_fingerprint;
};

/// What a file says of a batch. All of it is read and checked before the batch gets any.
template <class T>
struct Checkpoint {
  // Of the batch, not in the file.
  StateLayout layout;
  std::int64_t bodies = 0, rank = 0, chambers = 0;

  std::vector<StateRows<T>> state;  // by block of the layout
  std::vector<BodyStatus> status;
  std::vector<BodyFlags> flags;  // empty: none is set
  double time = 0;
  std::vector<T> rayleigh_mass, rayleigh_stiffness;
  std::vector<T> stiffness_scale;  // empty: all are 1
  std::vector<T> pressure;         // shape (chambers, B); empty: all are 0
  std::vector<double> gas;         // p V, likewise; empty: none
  std::vector<double> atmosphere;  // outside of chambers with a gas, shape (1); empty: none
  std::vector<T> strain_damping;   // tau, shape (B); empty: all are 0
  std::vector<LoadCurve> curves;
  std::vector<std::int32_t> curve_of_body;
  GroupTable groups;
  std::vector<WarmStart> warm_starts;  // of a world whose bodies collide; empty: none
};

template <class T>
using CheckpointSection = FileSection<Checkpoint<T>>;

/// Arrays by the state's layout, status, time.
template <class T>
[[nodiscard]] const CheckpointSection<T>& state_section();
/// Flags of the bodies, where one is set.
template <class T>
[[nodiscard]] const CheckpointSection<T>& checkpoint_flags_section();
/// Damping and load curves.
template <class T>
[[nodiscard]] const CheckpointSection<T>& load_section();
/// What the stiffness of bodies is multiplied with, where one's isn't by 1.
template <class T>
[[nodiscard]] const CheckpointSection<T>& stiffness_section();
/// Pressures in chambers, where one isn't 0 or there is a gas, and which chambers they are for.
template <class T>
[[nodiscard]] const CheckpointSection<T>& pressure_section();
template <class T>
[[nodiscard]] const CheckpointSection<T>& coordinate_section();
/// Gases in chambers, where there is one.
template <class T>
[[nodiscard]] const CheckpointSection<T>& gas_section();
/// Damping by strain rates, where a body has some, and by which forms.
template <class T>
[[nodiscard]] const CheckpointSection<T>& strain_damping_section();
/// Forces that contacts of bodies which collide begin with, where there are some.
template <class T>
[[nodiscard]] const CheckpointSection<T>& collision_section();
/// Which moments of mass it is for, where a group has a frame.
template <class T>
[[nodiscard]] const CheckpointSection<T>& frame_section();
/// Which groups' motion is prescribed, where one is.
template <class T>
[[nodiscard]] const CheckpointSection<T>& base_section();
/// Which bodies and energies the file is for.
template <class T>
[[nodiscard]] const CheckpointSection<T>& group_section();

}  // namespace quartic::io
