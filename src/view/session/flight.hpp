// Bodies that fly, in the viewer: from where, under what, and where their surface is.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <span>

#include "quartic/embedding.hpp"
#include "quartic/frame_moments.hpp"
#include "view/session/bodies.hpp"
#include "view/session/view_surface.hpp"

namespace quartic::view {

struct FlightOptions {
  FrameMoments frame = {};  ///< of the model's bodies
  RigidMotion start = {};   ///< of all bodies
  /// Forces on vertices of the mesh, in world axes, for a step that begins at `time` and is `step` long [s]. They act
  /// on every body, whatever body they name; null: none.
  std::function<std::span<const VertexForce>(double time, double step)> loads = {};
};

/// Where the surface's own coordinates are, of a body that is at a pose: what is at x at rest is at result * x, from
/// the surface's origin.
/// @param centre the mass centre, in the mesh's coordinates, of the body as it is deformed [m]
[[nodiscard]] inline Eigen::Isometry3d surface_pose(const ViewSurface& surface, const Eigen::Isometry3d& pose,
                                                    const Eigen::Vector3d& centre) {
  const Eigen::Vector3d origin = Eigen::Vector3d::Map(surface.origin.data());
  return Eigen::Translation3d(-origin) * pose * Eigen::Translation3d(origin - centre);
}

}  // namespace quartic::view
