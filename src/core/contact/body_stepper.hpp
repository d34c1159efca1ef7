// A step of one body with its contacts, as the world asks for it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/batch/batch_impl.hpp"
#include "core/batch/free_scheme.hpp"
#include "core/batch/step_settings.hpp"
#include "core/contact/body_frame.hpp"
#include "core/contact/contact_law.hpp"
#include "quartic/contact.hpp"

namespace quartic {

/// The state of a body in double. Without a frame, what is rigid stays at rest.
struct BodyMotion {
  std::vector<double> q, velocity, acceleration;  // shape (r)
  ContactPose pose;                               // of the frame, not of the mesh
  ContactPoint linear_velocity, spin, linear_acceleration, spin_rate;
};

/// What a step is about.
struct ContactStep {
  StepSettings<double> settings;
  SpinSettings<double> spin;
  Integrator integrator = Integrator::backward_euler;
  double rayleigh_mass = 0, rayleigh_stiffness = 0, stiffness_scale = 1;
  std::span<const double> force;     ///< at the step's end, or the step's mean (energy-conserving), shape (r)
  std::span<const double> pressure;  ///< of the chambers, divided by the stiffness scale that K and R of both take
  ContactPoint external_force, external_torque;
  ContactLaw law{};
  int iterations = 1;
  double tolerance = 0;
  std::span<const Collider> start, end;
};

struct ContactOutcome {
  bool finite = true, converged = true;
  bool too_fast = false;                  ///< BodyFlags
  ContactPoint force, torque;             ///< at the step's end or, energy-conserving, the step's mean, about the
                                          ///< frame's origin there
  ContactPoint impulse, angular_impulse;  ///< of the step, about the world's origin
};

class BodyStepper {
 public:
  virtual ~BodyStepper() = default;
  BodyStepper() = default;
  BodyStepper(const BodyStepper&) = delete;
  BodyStepper& operator=(const BodyStepper&) = delete;

  /// Takes memory for so many points, so that a step allocates nothing, whatever this stepper had before.
  virtual void reserve(std::size_t contacts) = 0;
  /// @param end gets the new state, which means nothing if the outcome isn't finite
  /// @param contacts the points that may touch; get their place, gap and force at the step's end
  virtual ContactOutcome step(const ContactStep& step, const BodyMotion& start, BodyMotion& end,
                              std::span<Contact> contacts) = 0;
  /// Another one for another thread.
  [[nodiscard]] virtual std::unique_ptr<BodyStepper> twin() const = 0;
};

}  // namespace quartic
