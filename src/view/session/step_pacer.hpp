// When steps are due that shall come at a fixed rate.
#pragma once

#include <cstdint>

namespace quartic::view {

/// Steps become due one `interval` after the other. Whoever can't keep up is not chased by a backlog: of what is
/// further behind than `most_behind`, steps are dropped, and simulated time goes slower than the clock.
class StepPacer {
 public:
  /// @param interval, most_behind [s], above 0
  explicit StepPacer(double interval, double most_behind = 0.05) : interval_(interval), most_behind_(most_behind) {}

  /// Whether to step at this moment; each "yes" stands for one step. @param now [s], ascending
  [[nodiscard]] bool due(double now);
  /// When the next step is due [s].
  [[nodiscard]] double next() const { return next_; }
  /// Starts anew: the next call decides when the first step was due.
  void restart() { started_ = false; }
  void set_interval(double interval);
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  double interval_, most_behind_, next_ = 0;
  std::int64_t dropped_ = 0;
  bool started_ = false;
};

/// What part of the clock's time was simulated, over the last half second or so.
class RateMeter {
 public:
  /// @param now, simulated [s], both ascending
  void add(double now, double simulated);
  void restart() { started_ = false; }
  [[nodiscard]] double rate() const { return rate_; }  ///< [-]; 0 before it is known

 private:
  static constexpr double window_ = 0.5;  // [s]
  double begun_ = 0, simulated_ = 0, rate_ = 0;
  bool started_ = false;
};

}  // namespace quartic::view
