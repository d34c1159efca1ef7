// A session in a thread of its own, at a fixed rate, beside whoever draws it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "view/session/session.hpp"
#include "view/session/step_pacer.hpp"

namespace quartic::view {

/// How the steps go.
struct PhysicsReadout {
  double step_seconds = 0;   ///< what a step takes, mean of the last ones
  double speed = 0;          ///< simulated over real time, measured
  std::int64_t dropped = 0;  ///< steps that were not made because there was no time
  std::string error;         ///< of the last command or step that failed; empty: none did
};

class PhysicsThread {
 public:
  using Command = std::function<void(Session&)>;

  /// The session belongs to the thread from now on. @param speed simulated over real time, above 0
  explicit PhysicsThread(Session& session, double speed = 1, bool paused = false);
  ~PhysicsThread();
  PhysicsThread(const PhysicsThread&) = delete;
  PhysicsThread& operator=(const PhysicsThread&) = delete;

  /// Has something done to the session between two steps, in order. What it throws goes to `PhysicsReadout::error`.
  void post(Command command);
  /// The same, and waits until it is done.
  void run(Command command);

  void set_paused(bool paused);
  [[nodiscard]] bool paused() const;
  /// Steps once while paused.
  void step_once();
  void set_speed(double speed);

  /// The last state that was handed over; asks for a newer one, which will be there at the next call or the one after.
  [[nodiscard]] const Frame& latest();
  [[nodiscard]] PhysicsReadout readout() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  void work();
  void wait(std::unique_lock<std::mutex>& lock);
  void run_commands(std::unique_lock<std::mutex>& lock);
  void step(std::unique_lock<std::mutex>& lock);
  void hand_over(std::unique_lock<std::mutex>& lock);

  Session& session_;
  const Clock::time_point begun_ = Clock::now();
  Frame shown_;  // the drawing side's

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_, done_;
  std::vector<Command> commands_;
  Frame handed_over_;
  bool wanted_ = true, fresh_ = false, stopping_ = false, paused_;
  std::int64_t single_steps_ = 0, posted_ = 0, finished_ = 0;
  double speed_, simulated_ = 0;
  StepPacer pacer_;
  RateMeter meter_;
  PhysicsReadout readout_;

  std::thread thread_;  // last, so that all else is there when it starts
};

}  // namespace quartic::view
