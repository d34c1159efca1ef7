// One body as the search for pairs sees it.
#pragma once

#include <cstdint>

#include "core/collision/surface_topology.hpp"
#include "core/contact/body_frame.hpp"

namespace quartic {

template <class T>
struct CollidingBody {
  const CollisionSurface* surface = nullptr;  ///< null: meets nothing
  const T* spheres = nullptr;                 ///< of its tree, shape (nodes, 4), in the mesh's coordinates
  StateView<const T> q = {};
  std::int64_t column = 0;  ///< of q
  ContactPose pose = {};    ///< from the mesh's coordinates to the world
  double margin = 0;
  std::int32_t id = 0, environment = 0;
};

}  // namespace quartic
