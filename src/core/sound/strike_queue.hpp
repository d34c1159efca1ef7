// Strikes on their way from one thread to another, without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "quartic/sound.hpp"

namespace quartic {

/// A ring of places. One thread pushes, one pops; neither allocates.
class StrikeQueue {
 public:
  explicit StrikeQueue(std::size_t places) : places_(places + 1) {}

  /// @return false if it is full
  bool push(const Strike& strike) {
    const std::size_t end = end_.load(std::memory_order_relaxed), next = (end + 1) % places_.size();
    if (next == begin_.load(std::memory_order_acquire)) return false;
    places_[end] = strike;
    end_.store(next, std::memory_order_release);
    return true;
  }
  /// @return false if there is none
  bool pop(Strike& strike) {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == end_.load(std::memory_order_acquire)) return false;
    strike = places_[begin];
    begin_.store((begin + 1) % places_.size(), std::memory_order_release);
    return true;
  }

 private:
  std::vector<Strike> places_;
  std::atomic<std::size_t> begin_{0}, end_{0};
};

}  // namespace quartic
