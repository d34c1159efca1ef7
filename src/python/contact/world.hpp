// Python's `quartic.World`.
#pragma once

#include <memory>
#include <variant>

#include "python/batch.hpp"
#include "quartic/world.hpp"

namespace quartic::python {

using AnyWorld = std::variant<World<float>, World<double>>;

/// Its calls have the lock of the batch.
struct WorldObject {
  nb::object batch_object;
  BatchObject batch;
  std::shared_ptr<AnyWorld> world;
};

/// Calls f(world) without the GIL, alone.
template <class F>
auto alone(const WorldObject& object, F f) {
  return exclusive(object.batch, [&](auto&) { return std::visit(f, *object.world); });
}

}  // namespace quartic::python
