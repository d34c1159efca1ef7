// Points of bodies in or near other bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/collision/colliding_body.hpp"
#include "core/collision/deformed_surface.hpp"
#include "quartic/collision.hpp"

namespace quartic {

/// Keeps its memory from step to step.
template <class T>
class PairSearch {
 public:
  /// What `pair_contacts` returns. The same on any number of threads.
  std::span<BodyContact> run(std::span<const BodyPair> pairs, std::span<const CollidingBody<T>> bodies,
                             ThreadPool& pool);

 private:
  void update_surfaces(std::span<const BodyPair> pairs, std::span<const CollidingBody<T>> bodies, ThreadPool& pool);

  std::vector<std::int64_t> used_;   // bodies of pairs
  std::vector<std::int32_t> slots_;  // of the bodies in `surfaces_`, -1: none
  std::vector<DeformedSurface> surfaces_;
  std::vector<std::vector<BodyContact>> pieces_;
  std::vector<BodyContact> contacts_;
};

}  // namespace quartic
