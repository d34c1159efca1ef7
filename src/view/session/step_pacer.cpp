#include "view/session/step_pacer.hpp"

#include <algorithm>
#include <cmath>

namespace quartic::view {

bool StepPacer::due(double now) {
  if (!started_) {
    next_ = now;
    started_ = true;
  }
  if (now < next_) return false;
  if (const double behind = now - next_; behind > most_behind_) {
    const double steps = std::floor((behind - most_behind_) / interval_) + 1;
    constexpr double countable = 0x1p53;
    dropped_ += static_cast<std::int64_t>(std::min(steps, countable));
    next_ += steps * interval_;
    if (next_ > now) next_ = now;  // intervals longer than what one may be behind
  }
  next_ += interval_;
  return true;
}

void StepPacer::set_interval(double interval) {
  next_ += interval - interval_;
  interval_ = interval;
}

void RateMeter::add(double now, double simulated) {
  if (!started_) {
    begun_ = now;
    simulated_ = simulated;
    started_ = true;
  }
  if (now - begun_ < window_) return;
  rate_ = (simulated - simulated_) / (now - begun_);
  begun_ = now;
  simulated_ = simulated;
}

}  // namespace quartic::view
