// What of a collision surface doesn't change as a body deforms.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/contact/mesh_view.hpp"
#include "quartic/collision.hpp"

namespace quartic {

class CollisionSurface::Topology {
 public:
  /// @param triangles points of the tree, of a surface that has been checked @param depth Shape::Solid::depth
  Topology(const BoundTree& tree, std::span<const std::int32_t> triangles, double depth);

  std::vector<std::int32_t> points;          ///< that are corners, ascending: the vertices
  std::vector<double> rest;                  ///< shape (vertices, 3)
  std::vector<double> fields;                ///< of the basis, shape (r, vertices, 3)
  std::vector<std::int32_t> triangles;       ///< vertices, shape (t, 3)
  std::vector<std::int32_t> neighbours;      ///< behind the edge that follows each corner, shape (t, 3)
  std::vector<std::int32_t> first_triangle;  ///< of each vertex in `around`, and the end, shape (vertices + 1)
  std::vector<std::int32_t> around;          ///< triangles of the vertices
  /// The tree of boxes as MeshView has it: single ones first; which triangles these hold.
  int levels = 0;
  std::array<std::int32_t, MeshView::most_levels + 1> starts = {};
  std::vector<std::int32_t> numbers;
  double depth;
  SphereFit<float> float_spheres;
  SphereFit<double> double_spheres;

  template <class T>
  [[nodiscard]] const SphereFit<T>& spheres() const {
    if constexpr (sizeof(T) == sizeof(float))
      return float_spheres;
    else
      return double_spheres;
  }
  [[nodiscard]] std::int64_t vertex_count() const { return static_cast<std::int64_t>(points.size()); }
  [[nodiscard]] std::int64_t triangle_count() const { return static_cast<std::int64_t>(triangles.size() / 3); }

 private:
  void take_vertices(const BoundTree& tree, std::span<const std::int32_t> corners);
  void join_triangles();
  void make_boxes();
};

}  // namespace quartic
