// Signed distances of a closed triangle mesh, for the host and for kernels: see mesh_solid.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/contact/nearest_on_solid.hpp"
#include "core/surface/triangle_weights.hpp"

namespace quartic {

/// A mesh and the tree of its triangles' boxes (core/surface/box_tree.hpp), as arrays.
struct MeshView {
  static constexpr int most_levels = 18, fan_out = 4;  // 4^17 triangles

  const double* vertices = nullptr;         // shape (n, 3)
  const std::int32_t* triangles = nullptr;  // shape (t, 3)
  // Of unit length: of triangles, of the edges behind their corners, and of vertices; shapes (t, 3), (t, 3, 3), (n, 3).
  const double *normals = nullptr, *edge_normals = nullptr, *vertex_normals = nullptr;
  int levels = 0;
  std::int32_t starts[most_levels + 1] = {};  // of the levels in `boxes`, single ones first
  const double* boxes = nullptr;              // low and high corners, shape (boxes, 6)
  const std::int32_t* numbers = nullptr;      // triangles of the single boxes
  double reach = 0;

  using Vector = frame::Vector3<double>;
  [[nodiscard]] static QUARTIC_HD Vector at(const double* rows, std::int64_t row) {
    return {rows[3 * row], rows[3 * row + 1], rows[3 * row + 2]};
  }
  [[nodiscard]] QUARTIC_HD Vector corner(std::int32_t triangle, int c) const {
    return at(vertices, triangles[3 * triangle + c]);
  }
  [[nodiscard]] QUARTIC_HD double box_distance(int level, std::int32_t node, const Vector& x) const {
    const double *box = boxes + 6 * std::int64_t{starts[level] + node}, place[3] = {x.x, x.y, x.z};
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      const double below = box[k] - place[k], above = place[k] - box[3 + k];
      const double way = below > 0 ? below : above > 0 ? above : 0;
      square += way * way;
    }
    return square;
  }
  /// Of the triangle, its edge or its corner, whichever the point is in.
  [[nodiscard]] QUARTIC_HD Vector pseudo_normal(std::int32_t triangle, const TriangleWeights& weights) const {
    int count = 0, on = 0, off = 0;
    for (int c = 0; c < 3; ++c)
      if (weights.of[c] != 0)
        ++count, on = c;
      else
        off = c;
    if (count == 1) return at(vertex_normals, triangles[3 * triangle + on]);
    if (count == 2) return at(edge_normals, 3 * std::int64_t{triangle} + (off + 1) % 3);
    return at(normals, triangle);
  }
};

/// The nearest triangle so far.
struct NearestTriangle {
  double square = std::numeric_limits<double>::infinity();
  std::int32_t number = 0;
  TriangleWeights weights = {{1, 0, 0}};
};

/// Of all triangles, the first of equally near ones in the order of the tree.
[[nodiscard]] QUARTIC_HD inline NearestTriangle nearest_triangle(const MeshView& mesh,
                                                                 const frame::Vector3<double>& x) {
  struct Node {
    double square;
    std::int32_t level, number;
  };
  Node stack[MeshView::most_levels * (MeshView::fan_out - 1) + 1];
  int depth = 0;
  NearestTriangle best;
  stack[depth++] = {0, mesh.levels - 1, 0};
  while (depth > 0) {
    const Node node = stack[--depth];
    if (!(node.square <= best.square)) continue;
    if (node.level == 0) {
      const std::int32_t t = mesh.numbers[node.number];
      const frame::Vector3<double> a = mesh.corner(t, 0) - x, b = mesh.corner(t, 1) - x, c = mesh.corner(t, 2) - x;
      const TriangleWeights w = nearest_weights(a, b, c);
      const frame::Vector3<double> way = w.of[0] * a + w.of[1] * b + w.of[2] * c;
      const double square = dot(way, way);
      if (square < best.square) best = {square, t, w};
      continue;
    }
    const std::int32_t below = node.level - 1, count = mesh.starts[below + 1] - mesh.starts[below];
    const int first = depth;
    for (std::int32_t child = node.number * MeshView::fan_out;
         child < (node.number + 1) * MeshView::fan_out && child < count; ++child) {
      const Node next = {mesh.box_distance(below, child, x), below, child};
      int place = depth++;  // the nearest on top, the lowest number of equal ones
      for (; place > first && stack[place - 1].square <= next.square; --place) stack[place] = stack[place - 1];
      stack[place] = next;
    }
  }
  return best;
}

[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_mesh(const MeshView& mesh, const frame::Vector3<double>& x) {
  const NearestTriangle found = nearest_triangle(mesh, x);
  const double* w = found.weights.of;
  const frame::Vector3<double> normal = mesh.pseudo_normal(found.number, found.weights);
  const frame::Vector3<double> way = x - (w[0] * mesh.corner(found.number, 0) + w[1] * mesh.corner(found.number, 1) +
                                          w[2] * mesh.corner(found.number, 2));
  // From beyond all numbers, as from no place at all, a solid isn't reached.
  const bool is_finite = found.square - found.square == 0;
  const double length = std::sqrt(found.square), sign = is_finite && dot(way, normal) < 0 ? -1 : 1;
  // So near that the way there is round-off: the surface's own normal.
  const bool on_surface = length <= 1e-12 * (mesh.reach + norm(x));
  return {sign * length, on_surface ? normal : (sign / norm(way)) * way};
}

}  // namespace quartic
