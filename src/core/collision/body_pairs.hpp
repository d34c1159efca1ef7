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
  /// All pairs of bodies that may meet, in the same order, wherever they are.
  std::span<const BodyPair> all(std::span<const CollidingBody<T>> bodies);

 private:
  struct Place {
    std::int32_t environment;
    double low, high;  // along the axis
    ContactPoint centre;
    double radius;
    std::int64_t body;
  };
  void take_places(std::span<const CollidingBody<T>> bodies);
  [[nodiscard]] int widest_axis() const;
  void add_pair(std::span<const CollidingBody<T>> bodies, std::int64_t one, std::int64_t two);
  void sort_pairs(std::span<const CollidingBody<T>> bodies);

  std::vector<Place> places_;
  std::vector<BodyPair> pairs_;
};

}  // namespace quartic
