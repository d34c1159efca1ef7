// The surface of one body as it is now, and which place of it is nearest.
#pragma once

#include <array>
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

  /// @param guess a triangle: the nearer it is, the faster. The result is the same for each.
  [[nodiscard]] NearestOnSurface nearest(const ContactPoint& x, std::int32_t guess) const;
  /// No point of the surface is nearer, wherever x is outside of the box around all.
  [[nodiscard]] double box_distance(const ContactPoint& x) const;
  /// The largest absolute coordinate.
  [[nodiscard]] double reach() const { return view_.reach; }

 private:
  void fit_boxes();
  [[nodiscard]] std::array<double, 6> box_of_triangle(std::int32_t triangle) const;
  [[nodiscard]] NearestTriangle triangle_at(std::int32_t triangle, const ContactPoint& x) const;
  [[nodiscard]] NearestTriangle nearest_triangle(const ContactPoint& x, std::int32_t guess) const;
  [[nodiscard]] const double* children_of(int level, std::int32_t node) const;
  [[nodiscard]] ContactPoint normal_of(std::int32_t triangle) const;
  [[nodiscard]] ContactPoint pseudo_normal(std::int32_t triangle, const TriangleWeights& weights) const;
  [[nodiscard]] ContactPoint vertex_normal(std::int32_t vertex) const;

  const CollisionSurface::Topology* topology_ = nullptr;
  std::vector<double> vertices_;
  // Of the boxes below each node, level by level, side by side: low x of four, low y, low z, high x, high y, high z.
  std::vector<double> boxes_;
  std::array<double, 6> whole_ = {};  // the box around all
  MeshView view_;                     // without boxes and normals
};

}  // namespace quartic
