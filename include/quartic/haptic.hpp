// A ball in a hand that feels the bodies of a world: a virtual coupling between a device and the ball, and a loop that
// steps both at a fixed rate.
//
// The device has the position x_d, the ball x_p. A spring and a damper pull the hand to the ball (Colgate, Stanley &
// Brown 1995),
//   f = k_c (x_p - x_d) - b_c x_d'           x_d' = (x_d - x_d before) / T, and no more than the largest force
// and the ball, which has no mass, goes in each step to where that spring and the contacts hold each other (Wan &
// McNeely 2003; Barbic & James 2008), by the contacts' forces F on it after the step before and their stiffness
// K = S k A n n^T,
//   (k_c I + K) dx_p = k_c (x_d - x_p) + F
// Friction, whose force is c (u - dx_p / T) along the surface with a point's velocity u, is taken with the c of the
// step before, c / T being part of K: else it would have the ball tremble. Without contacts it goes to the device. A
// device of the damping b that is sampled with the period T can't get energy out of such a coupling as long as
//   b >= k_c T / 2 + b_c                      (Colgate & Schenkel 1994)
// A world in series makes it softer still.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/world.hpp"

namespace quartic {

struct HapticOptions {
  double period = 1e-3;          ///< T [s] > 0: of a step
  double radius = 0.02;          ///< of the ball [m] > 0
  double stiffness = 500;        ///< k_c [N/m] > 0
  double damping = 0;            ///< b_c [N s/m] >= 0
  double device_damping = 0.5;   ///< b [N s/m] >= 0: of the device, and of the hand that holds it
  double largest_force = 1e300;  ///< that the device can bear [N] > 0
};

/// k_c up to which a coupling is passive [N/m], 2 (b - b_c) / T, or 0.
/// @throws InputError unless the period is > 0 and the others are >= 0
[[nodiscard]] QUARTIC_EXPORT double largest_passive_stiffness(double device_damping, double damping, double period);

/// What a step gives.
struct HapticSample {
  std::int64_t step = 0;                     ///< steps so far
  double time = 0;                           ///< of the batch [s]
  std::array<double, 3> device = {};         ///< x_d [m]
  std::array<double, 3> ball = {};           ///< x_p [m]
  std::array<double, 3> force = {};          ///< on the hand [N]
  std::array<double, 3> contact_force = {};  ///< on the ball [N]
  std::int64_t contacts = 0;                 ///< points that are in the ball
};

/// The ball as one more collider of a world, its last.
template <class T>
class QUARTIC_EXPORT HapticBall {
 public:
  /// @param world steps with the options' period; its other colliders may be moved between steps, but none be added or
  /// removed
  /// @throws InputError for options out of range, no world, or a coupling that isn't passive, with what helps
  HapticBall(std::shared_ptr<World<T>> world, const HapticOptions& options, const std::array<double, 3>& device);

  /// Has the device there, moves the ball, steps the world, and gives the force. Allocates nothing in a world whose
  /// steps don't.
  /// @throws InputError for a device that isn't at finite numbers, or as World::step; nothing is changed then
  const HapticSample& step(const std::array<double, 3>& device);

  [[nodiscard]] const HapticSample& sample() const { return sample_; }
  [[nodiscard]] const HapticOptions& options() const { return options_; }
  [[nodiscard]] World<T>& world() { return *world_; }

 private:
  [[nodiscard]] std::array<double, 3> balance() const;
  void move_ball(const std::array<double, 3>& place);

  std::shared_ptr<World<T>> world_;
  HapticOptions options_;
  std::size_t shape_;
  HapticSample sample_;
};

/// How long steps of a loop took.
struct HapticTiming {
  static constexpr std::int64_t bins = 200;
  static constexpr double bin_seconds = 1e-5;

  std::int64_t steps = 0, missed = 0;          ///< steps, and those that ended after the next was due
  double longest = 0;                          ///< [s]
  std::array<std::int64_t, bins> counts = {};  ///< of steps by their time, the last for all longer ones

  /// The time that a share of all steps didn't exceed, to one bin [s]: 0.999 for the slowest but one in a thousand.
  [[nodiscard]] QUARTIC_EXPORT double quantile(double share) const;
};

/// A thread that steps a ball and its world at their period. The device's side puts positions in and reads samples
/// without ever waiting for the thread, or the thread for it.
class QUARTIC_EXPORT HapticLoop {
 public:
  /// Starts. The ball and its world belong to the thread until `stop`.
  template <class T>
  explicit HapticLoop(std::shared_ptr<HapticBall<T>> ball);
  ~HapticLoop();
  HapticLoop(const HapticLoop&) = delete;
  HapticLoop& operator=(const HapticLoop&) = delete;

  /// Where the device is from now on [m]. For one thread at a time; waits for none.
  void set_device(const std::array<double, 3>& position);
  /// The last step's. For any number of threads; waits for none.
  [[nodiscard]] HapticSample sample() const;
  [[nodiscard]] HapticTiming timing() const;

  /// Ends after the step in progress. @throws what a step threw, which has ended the loop
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quartic
