// A point's place in one element, and the weights of the element's vertices there.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/elements/elements.hpp"
#include "core/surface/element_tree.hpp"

namespace quartic {

/// An element's vertices as seen from a point: positions minus the point's, so that it lies at the origin.
using RelativePositions = std::array<Point3, 20>;

/// The flat triangles of an element's faces, by its vertices; those of quadratic types have the middles of edges.
[[nodiscard]] std::vector<std::array<int, 3>> face_triangles(const ElementTable& table);

/// Reference coordinates of the origin if it lies in the element, on its faces included, by Newton's method.
[[nodiscard]] std::optional<Point3> local_coordinates(const ElementTable& table, const RelativePositions& x);

/// The nearest point of an element's faces to the origin.
struct NearestPoint {
  double squared_distance = 0;
  Point3 local{};  ///< reference coordinates
};
[[nodiscard]] NearestPoint nearest_point(const ElementTable& table, std::span<const std::array<int, 3>> triangles,
                                         const RelativePositions& x);

/// Weights that sum to 1 and take the vertices to the origin: the shape functions at `local`, and the least change that
/// makes up for the way from there. @param weights shape (vertex_count)
void point_weights(const ElementTable& table, const RelativePositions& x, const Point3& local,
                   std::span<double> weights);

}  // namespace quartic
