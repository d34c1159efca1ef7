// What spheres rely on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/contact/contact_operations.hpp"
#include "core/contact/tree_arrays.hpp"
#include "quartic/bound_tree.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

void require(bool sound, const std::string& what) {
  if (!sound) throw InputError("the bound tree is damaged: " + what + "; make it again with bound_tree");
}

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void require_arrays(const BoundTree& tree) {
  const auto nodes = tree.nodes.size(), count = tree.points.areas.size(), r = static_cast<std::size_t>(tree.rank);
  const ContactPoints& points = tree.points;
  require(tree.rank >= 1 && tree.rank <= largest_tree_rank && nodes >= 1 && count >= 1,
          "it has no nodes, no points, or too many coordinates");
  require(points.triangles.size() == count && points.weights.size() == 3 * count &&
              points.positions.size() == 3 * count && points.basis.rows == static_cast<std::int64_t>(3 * count) &&
              points.basis.cols == tree.rank && points.basis.values.size() == 3 * count * r,
          "the arrays of its points don't fit together");
  require(tree.rest_spheres.size() == 4 * nodes && tree.centre_fields.size() == 3 * nodes * r &&
              tree.affine_fields.size() == 9 * nodes * r && tree.residuals.size() == nodes * r,
          "the arrays of its nodes don't fit together");
  require(are_finite(points.weights) && are_finite(points.positions) && are_finite(points.areas) &&
              are_finite(points.basis.values) && are_finite(tree.rest_spheres) && are_finite(tree.centre_fields) &&
              are_finite(tree.affine_fields) && are_finite(tree.residuals),
          "a number isn't finite");
  require(std::all_of(points.areas.begin(), points.areas.end(), [](double a) { return a >= 0; }), "an area is below 0");
}

// Of a leaf, counted from 0. BoundTrees of 2^30 points have 9; who walks down a tree by recursion relies on it.
constexpr int deepest_level = 32;

// Level by level, each node's children behind those of the one before, and so with their points.
void require_shape(const BoundTree& tree) {
  const auto node_count = tree.node_count();
  require(tree.nodes[0].first_point == 0 && tree.nodes[0].points == tree.points.count(),
          "its root doesn't have all points");
  std::int64_t next_child = 1;
  std::vector<int> levels(tree.nodes.size());
  for (std::int64_t n = 0; n < node_count; ++n) {
    const BoundNode& node = tree.nodes[static_cast<std::size_t>(n)];
    const std::string which = "node " + std::to_string(n);
    require(node.points >= 1 && node.children >= 0 && node.children <= BoundTree::fan_out,
            which + " has no points or too many children");
    if (node.children == 0) {
      require(node.points <= BoundTree::leaf_points, which + " is a leaf of too many points");
      continue;
    }
    require(node.first_child == next_child && next_child > n && next_child + node.children <= node_count,
            which + " has children that aren't its own");
    next_child += node.children;
    const int level = levels[static_cast<std::size_t>(n)] + 1;
    require(level <= deepest_level, which + " has children below " + std::to_string(deepest_level) + " levels");
    std::fill_n(levels.begin() + node.first_child, node.children, level);
    std::int64_t next_point = node.first_point;
    for (std::int32_t c = 0; c < node.children; ++c) {
      const BoundNode& child = tree.nodes[static_cast<std::size_t>(node.first_child + c)];
      require(child.first_point == next_point && child.points >= 1, which + " has children with others' points");
      next_point += child.points;
    }
    require(next_point == std::int64_t{node.first_point} + node.points, which + " has points that no child has");
  }
  require(next_child == node_count, "it has nodes that no node has as a child");
}

void require_containment(const BoundTree& tree) {
  const auto r = static_cast<std::size_t>(tree.rank);
  for (std::int64_t n = 0; n < tree.node_count(); ++n) {
    const auto index = static_cast<std::size_t>(n);
    const NodeExtent extent = node_extent(tree.points, tree.nodes[index], fit_at(tree, n));
    const std::string which = "node " + std::to_string(n);
    require(extent.radius <= tree.rest_spheres[4 * index + 3], "a point is outside of " + which);
    for (std::size_t j = 0; j < r; ++j)
      require(extent.residuals[j] <= tree.residuals[index * r + j],
              "basis vector " + std::to_string(j) + " moves a point out of " + which);
  }
}

}  // namespace

void require_sound(const BoundTree& tree) {
  require_arrays(tree);
  require_shape(tree);
  require_containment(tree);
}

}  // namespace quartic
