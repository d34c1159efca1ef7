// Shows on standard error how far long work is: a bar with the time left on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "quartic/backend.hpp"

namespace quartic::cli {

class ProgressDisplay {
 public:
  ProgressDisplay();
  /// Ends the line that is being drawn, also when an exception passes.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// Takes news of a stage; the next stage's first news ends this one.
  void report(std::string_view stage, double fraction);
  /// The last stage is done.
  void finish();

  /// For options: passes news on to this object, which must outlive the work.
  [[nodiscard]] Progress callback() {
    return [this](std::string_view stage, double fraction) { report(stage, fraction); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  void begin(std::string_view stage);
  void draw(double fraction, double seconds);

  bool terminal_;
  std::string stage_;  // empty: none is under way
  Clock::time_point begun_, drawn_;
};

}  // namespace quartic::cli
