// What a block knows of a body with candidates besides arrays, and what is kept of it from one round of products to the
// next.
#pragma once

#include <cstdint>

#include "core/frame/pose.hpp"
#include "core/frame/symmetric3.hpp"
#include "cuda/contact/contact_view.hpp"

namespace quartic::cuda {

using Matrix3 = frame::Matrix3<double>;
using Rotation = frame::Quaternion<double>;

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

/// How the iterate was found: at the start of an iteration, or as a share of a correction that may be too long.
enum class NearTrial : std::int32_t { none, downhill, to_less };

/// How far Newton's method is (src/cpu/contact/newton_stepper.cpp), likewise.
struct NearSearch {
  double wide;               // what the speed below which friction is smooth is multiplied with
  double last, part, slope;  // what was left before, the correction's share, how steep it is
  Vector3 spin, velocity;    // before the correction
  std::int32_t iteration, secants, tries;
  NearTrial trial;
  std::int32_t by_tangent, wider;  // whether the correction is, and whether friction has been widened
};

}  // namespace quartic::cuda
