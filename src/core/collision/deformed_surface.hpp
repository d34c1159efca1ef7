// The surface of one body as it is now, and which place of it is nearest.
#pragma once

#include <cstdint>
#include <vector>

#include "core/collision/surface_topology.hpp"
#include "core/contact/body_frame.hpp"

namespace quartic {

/// The nearest place of a surface.
struct NearestOnSurface {
  double gap = 0;  ///< signed distance, below 0 inside
  ContactPoint normal;
  std::int32_t triangle = 0;
  TriangleWeights weights = {{1, 0, 0}};
};

/// In the mesh's coordinates: poses are the caller's. Memory only grows.
class DeformedSurface {
 public:
  /// @param body column of q
  template <class T>
  void update(const CollisionSurface::Topology& topology, const StateView<const T>& q, std::int64_t body);

  [[nodiscard]] NearestOnSurface nearest(const ContactPoint& x) const;
  /// No point of the surface is nearer, wherever x is outside of the box around all.
  [[nodiscard]] double box_distance(const ContactPoint& x) const;
  /// The largest absolute coordinate.
  [[nodiscard]] double reach() const { return view_.reach; }

 private:
  void fit_boxes();
  [[nodiscard]] ContactPoint normal_of(std::int32_t triangle) const;
  [[nodiscard]] ContactPoint pseudo_normal(std::int32_t triangle, const TriangleWeights& weights) const;
  [[nodiscard]] ContactPoint vertex_normal(std::int32_t vertex) const;

  const CollisionSurface::Topology* topology_ = nullptr;
  std::vector<double> vertices_, boxes_;
  MeshView view_;
};

}  // namespace quartic
