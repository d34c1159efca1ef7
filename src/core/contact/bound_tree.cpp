// The order of a tree's points, its nodes, and their fits.
#include "quartic/bound_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/thread_pool.hpp"
#include "core/contact/node_fit.hpp"
#include "core/contact/place_points.hpp"
#include "core/contact/tree_arrays.hpp"
#include "core/frame/moments_fingerprint.hpp"
#include "core/surface/drawn_surface.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"

namespace quartic {
namespace {

constexpr std::int64_t leaf_points = BoundTree::leaf_points, fan_out = BoundTree::fan_out;

using Order = std::vector<std::int32_t>;

class PointOrder {
 public:
  explicit PointOrder(const std::vector<double>& positions) : positions_(positions), order_(positions.size() / 3) {
    std::iota(order_.begin(), order_.end(), 0);
    split(0, std::ssize(order_));
  }
  [[nodiscard]] Order take() { return std::move(order_); }

 private:
  // At a whole number of the largest nodes that are smaller than the range, near its middle: whole nodes are full.
  void split(std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    if (count <= leaf_points) return std::sort(order_.begin() + begin, order_.begin() + end);
    std::int64_t whole = leaf_points;
    while (whole * fan_out < count) whole *= fan_out;
    const std::int64_t middle = begin + std::max<std::int64_t>(1, (count + whole) / (2 * whole)) * whole;
    const std::size_t axis = longest_axis(begin, end);
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) {
                       const double xa = coordinate(a, axis), xb = coordinate(b, axis);
                       return xa != xb ? xa < xb : a < b;
                     });
    split(begin, middle);
    split(middle, end);
  }
  [[nodiscard]] std::size_t longest_axis(std::int64_t begin, std::int64_t end) const {
    std::array<double, 3> lengths{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::minmax_element(
          order_.begin() + begin, order_.begin() + end,
          [&](std::int32_t a, std::int32_t b) { return coordinate(a, axis) < coordinate(b, axis); });
      lengths[axis] = coordinate(*high, axis) - coordinate(*low, axis);
    }
    return static_cast<std::size_t>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
  }
  [[nodiscard]] double coordinate(std::int32_t point, std::size_t axis) const {
    return positions_[3 * static_cast<std::size_t>(point) + axis];
  }

  const std::vector<double>& positions_;
  Order order_;
};

template <class Value>
std::vector<Value> in_order(const std::vector<Value>& values, const Order& order, std::size_t width) {
  std::vector<Value> result;
  result.reserve(values.size());
  for (const std::int32_t p : order)
    result.insert(result.end(), values.begin() + std::ptrdiff_t{p} * static_cast<std::ptrdiff_t>(width),
                  values.begin() + (std::ptrdiff_t{p} + 1) * static_cast<std::ptrdiff_t>(width));
  return result;
}

ContactPoints in_order(const ContactPoints& points, const Order& order) {
  ContactPoints result{.triangles = in_order(points.triangles, order, 1),
                       .weights = in_order(points.weights, order, 3),
                       .positions = in_order(points.positions, order, 3),
                       .areas = in_order(points.areas, order, 1),
                       .basis = Matrix(points.basis.rows, points.basis.cols)};
  for (std::int64_t j = 0; j < points.basis.cols; ++j)
    for (std::size_t p = 0; p < order.size(); ++p)
      std::copy_n(points.basis.col(j).data() + 3 * std::ptrdiff_t{order[p]}, 3,
                  &result.basis(static_cast<std::int64_t>(3 * p), j));
  return result;
}

// The root first, then level by level.
std::vector<BoundNode> nodes_over(std::int64_t points) {
  std::vector<std::int64_t> sizes = {leaf_points};  // of full nodes, leaves first
  while (sizes.back() < points) sizes.push_back(sizes.back() * fan_out);
  std::vector<BoundNode> nodes;
  std::int64_t next_level = 0;  // its first node
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    const bool is_leaf = *size == leaf_points;
    next_level += (points + *size - 1) / *size;
    for (std::int64_t first = 0; first < points; first += *size) {
      const std::int64_t below = *size / fan_out, count = std::min(*size, points - first);
      BoundNode node{.first_point = static_cast<std::int32_t>(first), .points = static_cast<std::int32_t>(count)};
      if (!is_leaf) {
        node.first_child = static_cast<std::int32_t>(next_level + first / below);
        node.children = static_cast<std::int32_t>((count + below - 1) / below);
      }
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Numbers of all nodes from the points as they are.
void fit_nodes(BoundTree& tree) {
  const auto nodes = tree.nodes.size(), r = static_cast<std::size_t>(tree.rank);
  tree.rest_spheres.assign(4 * nodes, 0);
  tree.centre_fields.assign(3 * nodes * r, 0);
  tree.affine_fields.assign(9 * nodes * r, 0);
  tree.residuals.assign(nodes * r, 0);
  parallel_for(tree.node_count(), [&](std::int64_t n) {
    const BoundNode& node = tree.nodes[static_cast<std::size_t>(n)];
    const NodeFit fit = fit_node(tree.points, node);
    put_fit(tree, n, fit, node_extent(tree.points, node, fit));
  });
}

void require_points(const ContactPoints& points) {
  const auto count = points.triangles.size();
  if (count == 0 || count > std::size_t{1} << 30U) throw InputError("a bound tree needs 1 to 2^30 contact points");
  if (points.weights.size() != 3 * count || points.positions.size() != 3 * count || points.areas.size() != count ||
      points.basis.rows != static_cast<std::int64_t>(3 * count) || points.basis.cols < 1 ||
      std::ssize(points.basis.values) != points.basis.rows * points.basis.cols)
    throw InputError("the arrays of the contact points don't fit together");
}

}  // namespace

BoundTree bound_tree(ContactPoints points) {
  require_points(points);
  BoundTree tree;
  tree.rank = static_cast<int>(points.basis.cols);
  tree.points = in_order(points, PointOrder(points.positions).take());
  tree.nodes = nodes_over(tree.points.count());
  fit_nodes(tree);
  require_sound(tree);
  return tree;
}

BoundTree bound_tree(const ReducedModel& model, const ContactPointOptions& options) {
  BoundTree tree = bound_tree(contact_points(model, options));
  tree.moments_fingerprint = short_fingerprint(model.frame_moments);
  return tree;
}

BoundTree refitted(const BoundTree& tree, const ReducedModel& model) {
  BoundTree result = tree;
  place_points(drawn_surface(model), model, result.points);
  result.rank = model.rank();
  result.moments_fingerprint = short_fingerprint(model.frame_moments);
  fit_nodes(result);
  require_sound(result);
  return result;
}

}  // namespace quartic
