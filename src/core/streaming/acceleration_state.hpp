// The state that follows from accelerations, of all bodies: the receiver's, and the one that a sender with a closed
// loop keeps of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/streaming.hpp"

namespace quartic {

/// Numbers of shape (r, B), C order.
struct AccelerationState {
  AccelerationState(std::int64_t rank, std::int64_t bodies)
      : q(static_cast<std::size_t>(rank * bodies)), velocity(q.size()), acceleration(q.size()) {}

  std::vector<double> q, velocity, acceleration;

  /// To the next step. @param next accelerations there; those of this state are overwritten with them
  void advance(const AccelerationRule& rule, double h, std::span<const double> next);
  /// The same of one number, without what the others are.
  void advance_one(const AccelerationRule& rule, double h, std::size_t n, double next);
};

}  // namespace quartic
