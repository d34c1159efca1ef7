// Which bodies' bounding spheres come near each other.
#pragma once

#include <span>
#include <vector>

#include "core/collision/colliding_body.hpp"
#include "quartic/collision.hpp"

namespace quartic {

/// Keeps its memory from step to step.
template <class T>
class BodyPairSearch {
 public:
  /// The pairs of `touching_bodies`: all of them are in the list, whatever rounding does.
  std::span<const BodyPair> run(std::span<const CollidingBody<T>> bodies);

 private:
  struct Place {
    std::int32_t environment;
    double low, high;  // along x
    ContactPoint centre;
    double radius;
    std::int64_t body;
  };
  std::vector<Place> places_;
  std::vector<BodyPair> pairs_;
};

}  // namespace quartic
