#include "core/collision/surface_topology.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/surface/box_tree.hpp"

namespace quartic {

CollisionSurface::Topology::Topology(const BoundTree& tree, std::span<const std::int32_t> corners, double depth_of)
    : depth(depth_of), float_spheres(tree), double_spheres(tree) {
  take_vertices(tree, corners);
  join_triangles();
  make_boxes();
}

void CollisionSurface::Topology::take_vertices(const BoundTree& tree, std::span<const std::int32_t> corners) {
  points.assign(corners.begin(), corners.end());
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (const std::int32_t corner : corners)
    triangles.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(points, corner) - points.begin()));
  for (const std::int32_t p : points) {
    const double* x = tree.points.positions.data() + 3 * std::size_t{static_cast<std::uint32_t>(p)};
    rest.insert(rest.end(), x, x + 3);
  }
  const Matrix& basis = tree.points.basis;
  for (std::int64_t j = 0; j < basis.cols; ++j)
    for (const std::int32_t p : points)
      for (std::int64_t k = 0; k < 3; ++k) fields.push_back(basis(3 * std::int64_t{p} + k, j));
}

void CollisionSurface::Topology::join_triangles() {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> behind;  // the triangle of each directed edge
  const auto next = [](std::size_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; };
  for (std::size_t c = 0; c < triangles.size(); ++c)
    behind[{triangles[c], triangles[next(c)]}] = static_cast<std::int32_t>(c / 3);
  for (std::size_t c = 0; c < triangles.size(); ++c)
    neighbours.push_back(behind.at({triangles[next(c)], triangles[c]}));
  first_triangle.assign(points.size() + 1, 0);
  for (const std::int32_t v : triangles) ++first_triangle[static_cast<std::size_t>(v) + 1];
  for (std::size_t v = 0; v < points.size(); ++v) first_triangle[v + 1] += first_triangle[v];
  around.resize(triangles.size());
  std::vector<std::int32_t> place(first_triangle.begin(), first_triangle.end() - 1);
  for (std::size_t c = 0; c < triangles.size(); ++c) {
    std::int32_t& at = place[static_cast<std::size_t>(triangles[c])];
    around[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(c / 3);
  }
}

void CollisionSurface::Topology::make_boxes() {
  std::vector<Box3> boxes;
  for (std::size_t t = 0; t < triangles.size(); t += 3)
    boxes.push_back(Box3::of_vertices(rest, {triangles.data() + t, 3}));
  const BoxTree tree(boxes);
  for (const std::vector<Box3>& level : tree.levels()) {
    const auto last = static_cast<std::size_t>(levels++);
    starts[last + 1] = starts[last] + static_cast<std::int32_t>(level.size());
  }
  for (const std::size_t number : tree.numbers()) numbers.push_back(static_cast<std::int32_t>(number));
}

}  // namespace quartic
