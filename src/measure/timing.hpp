// Times of short pieces of work, made so that other work on the machine disturbs them little.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace quartic::measure {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// How long each measurement may take.
struct Effort {
  int rounds = 10;        ///< the best of so many counts
  double seconds = 0.02;  ///< that a round takes at least
};

/// Seconds per call, calling for at least as long as a round takes.
template <class Work>
[[nodiscard]] double seconds_of_round(const Effort& effort, const Work& work) {
  int calls = 0, next = 1;
  const auto start = Clock::now();
  double time = 0;
  do {
    for (int n = 0; n < next; ++n) work();
    calls += next;
    next = std::min(2 * calls, 1024);
    time = seconds_since(start);
  } while (time < effort.seconds);
  return time / calls;
}

/// Seconds per call, the best round.
template <class Work>
[[nodiscard]] double seconds_per_call(const Effort& effort, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < effort.rounds; ++round) best = std::min(best, seconds_of_round(effort, work));
  return best;
}

/// Seconds per call of two pieces of work, in turns, so that what slows the machine down slows both: the best of each.
template <class First, class Second>
[[nodiscard]] std::pair<double, double> compare(const Effort& effort, const First& first, const Second& second) {
  std::pair best(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < effort.rounds; ++round) {
    best.first = std::min(best.first, seconds_of_round(effort, first));
    best.second = std::min(best.second, seconds_of_round(effort, second));
  }
  return best;
}

/// The value that a share of them doesn't exceed: the least one at or above that many, 0 < share <= 1.
/// @param sorted ascending, at least one
[[nodiscard]] inline double percentile(std::span<const double> sorted, double share) {
  const double place = std::ceil(share * static_cast<double>(sorted.size()) - 1e-9);
  return sorted[static_cast<std::size_t>(std::clamp(place, 1.0, static_cast<double>(sorted.size()))) - 1];
}

}  // namespace quartic::measure
