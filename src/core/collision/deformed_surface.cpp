#include "core/collision/deformed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic {
namespace {

constexpr std::size_t fan_out = MeshView::fan_out, group_size = 6 * fan_out;

// Around a group of boxes.
std::array<double, 6> hull(const double* group) {
  std::array<double, 6> box;
  for (std::size_t k = 0; k < 3; ++k) {
    box[k] = *std::min_element(group + fan_out * k, group + fan_out * (k + 1));
    box[3 + k] = *std::max_element(group + fan_out * (3 + k), group + fan_out * (4 + k));
  }
  return box;
}

// How far a group's boxes are, squared.
std::array<double, fan_out> box_squares(const double* group, const ContactPoint& x) {
  const std::array<double, 3> place = {x.x, x.y, x.z};
  std::array<double, fan_out> squares = {};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t c = 0; c < fan_out; ++c) {
      const double below = group[fan_out * k + c] - place[k], above = place[k] - group[fan_out * (3 + k) + c];
      const double way = std::max(std::max(below, above), 0.0);
      squares[c] += way * way;
    }
  return squares;
}

}  // namespace

template <class T>
void DeformedSurface::update(const CollisionSurface::Topology& topology, const StateView<const T>& q,
                             std::int64_t body) {
  topology_ = &topology;
  const std::size_t size = topology.rest.size();
  vertices_.assign(topology.rest.begin(), topology.rest.end());
  const double* field = topology.fields.data();
  for (std::int64_t j = 0; j < q.rank; ++j, field += size) {
    const double qj = double{q(j, body)};
    for (std::size_t k = 0; k < size; ++k) vertices_[k] += field[k] * qj;
  }
  view_.vertices = vertices_.data(), view_.triangles = topology.triangles.data();
  view_.reach = 0;
  for (const double x : vertices_) view_.reach = std::max(view_.reach, std::abs(x));
  fit_boxes();
}

// Boxes are numbered on over all levels, and so are the groups of four that are below a box each.
const double* DeformedSurface::children_of(int level, std::int32_t node) const {
  const auto l = static_cast<std::size_t>(level);
  return boxes_.data() + group_size * static_cast<std::size_t>(topology_->starts[l] - topology_->starts[1] + node);
}

// Those of triangles, and then of the boxes below. Where there is no box, a group has one that is nowhere.
void DeformedSurface::fit_boxes() {
  constexpr double none = std::numeric_limits<double>::infinity();
  const auto& starts = topology_->starts;
  const auto levels = static_cast<std::size_t>(topology_->levels);
  const auto count = [&](std::size_t level) { return static_cast<std::size_t>(starts[level + 1] - starts[level]); };
  boxes_.resize(group_size * static_cast<std::size_t>(starts[levels] - starts[1]));
  for (std::size_t g = 0; g < boxes_.size(); g += group_size)
    std::fill_n(boxes_.data() + g, group_size / 2, none),
        std::fill_n(boxes_.data() + g + group_size / 2, group_size / 2, -none);
  whole_ = {none, none, none, -none, -none, -none};
  double* group = boxes_.data();  // of those of the level
  for (std::size_t level = 0; level < levels; ++level) {
    const double* below = level == 0 ? nullptr : group - group_size * count(level);
    for (std::size_t n = 0; n < count(level); ++n) {
      const std::array<double, 6> box =
          level == 0 ? box_of_triangle(topology_->numbers[n]) : hull(below + group_size * n);
      if (level + 1 == levels)
        whole_ = box;
      else
        for (std::size_t k = 0; k < 6; ++k) group[group_size * (n / fan_out) + fan_out * k + n % fan_out] = box[k];
    }
    if (level + 1 < levels) group += group_size * count(level + 1);
  }
}

std::array<double, 6> DeformedSurface::box_of_triangle(std::int32_t triangle) const {
  const ContactPoint a = view_.corner(triangle, 0), b = view_.corner(triangle, 1), c = view_.corner(triangle, 2);
  return {std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z}),
          std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})};
}

double DeformedSurface::box_distance(const ContactPoint& x) const {
  const std::array<double, 3> place = {x.x, x.y, x.z};
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double way = std::max({whole_[k] - place[k], place[k] - whole_[3 + k], 0.0});
    square += way * way;
  }
  return std::sqrt(square);
}

NearestTriangle DeformedSurface::triangle_at(std::int32_t triangle, const ContactPoint& x) const {
  const ContactPoint a = view_.corner(triangle, 0) - x, b = view_.corner(triangle, 1) - x,
                     c = view_.corner(triangle, 2) - x;
  const TriangleWeights w = nearest_weights(a, b, c);
  const ContactPoint way = w.of[0] * a + w.of[1] * b + w.of[2] * c;
  return {dot(way, way), triangle, w};
}

// The first of equally near ones in the order of the tree, whatever the guess: it is within more than the guess is far.
NearestTriangle DeformedSurface::nearest_triangle(const ContactPoint& x, std::int32_t guess) const {
  struct Node {
    double square;
    std::int32_t level, number;
  };
  std::array<Node, MeshView::most_levels*(fan_out - 1) + 1> stack;
  std::size_t depth = 0;
  double within = (1 + 1e-9) * triangle_at(guess, x).square + std::numeric_limits<double>::min();
  NearestTriangle best;
  stack[depth++] = {0, topology_->levels - 1, 0};
  while (depth > 0) {
    const Node node = stack[--depth];
    if (!(node.square <= within)) continue;
    if (node.level == 0) {
      const NearestTriangle found = triangle_at(topology_->numbers[static_cast<std::size_t>(node.number)], x);
      if (found.square < within) best = found, within = found.square;
      continue;
    }
    const std::array<double, fan_out> squares = box_squares(children_of(node.level, node.number), x);
    const std::size_t first = depth;
    for (std::size_t c = 0; c < fan_out; ++c) {
      if (!(squares[c] <= within)) continue;
      const Node next = {squares[c], node.level - 1,
                         node.number * static_cast<std::int32_t>(fan_out) + static_cast<std::int32_t>(c)};
      std::size_t place = depth++;  // the nearest on top, the lowest number of equal ones
      for (; place > first && stack[place - 1].square <= next.square; --place) stack[place] = stack[place - 1];
      stack[place] = next;
    }
  }
  return best;
}

ContactPoint DeformedSurface::normal_of(std::int32_t triangle) const {
  const ContactPoint a = view_.corner(triangle, 0);
  const ContactPoint area = cross(view_.corner(triangle, 1) - a, view_.corner(triangle, 2) - a);
  return unit_vector(area, norm(area), {0, 0, 0});
}

// The sum of the triangles' normals by their angles there.
ContactPoint DeformedSurface::vertex_normal(std::int32_t vertex) const {
  const auto v = static_cast<std::size_t>(vertex);
  ContactPoint sum = {0, 0, 0};
  for (std::int32_t n = topology_->first_triangle[v]; n < topology_->first_triangle[v + 1]; ++n) {
    const std::int32_t t = topology_->around[static_cast<std::size_t>(n)];
    int c = 0;
    while (topology_->triangles[static_cast<std::size_t>(3 * t + c)] != vertex) ++c;
    const ContactPoint x = view_.corner(t, c), a = view_.corner(t, (c + 1) % 3) - x,
                       b = view_.corner(t, (c + 2) % 3) - x;
    sum = sum + std::atan2(norm(cross(a, b)), dot(a, b)) * normal_of(t);
  }
  return unit_vector(sum, norm(sum), {0, 0, 1});
}

// Of the triangle, its edge or its corner, whichever the place is in.
ContactPoint DeformedSurface::pseudo_normal(std::int32_t triangle, const TriangleWeights& weights) const {
  int count = 0, on = 0, off = 0;
  for (int c = 0; c < 3; ++c)
    if (weights.of[c] != 0)
      ++count, on = c;
    else
      off = c;
  const auto t = static_cast<std::size_t>(triangle);
  if (count == 1) return vertex_normal(topology_->triangles[3 * t + static_cast<std::size_t>(on)]);
  if (count == 3) {
    const ContactPoint normal = normal_of(triangle);
    return dot(normal, normal) > 0 ? normal : ContactPoint{0, 0, 1};
  }
  const auto edge = static_cast<std::size_t>((off + 1) % 3);
  const ContactPoint sum = normal_of(triangle) + normal_of(topology_->neighbours[3 * t + edge]);
  return unit_vector(sum, norm(sum), {0, 0, 1});
}

NearestOnSurface DeformedSurface::nearest(const ContactPoint& x, std::int32_t guess) const {
  const NearestTriangle found = nearest_triangle(x, guess);
  const double* w = found.weights.of;
  const ContactPoint normal = pseudo_normal(found.number, found.weights);
  const ContactPoint way = x - (w[0] * view_.corner(found.number, 0) + w[1] * view_.corner(found.number, 1) +
                                w[2] * view_.corner(found.number, 2));
  const double length = std::sqrt(found.square), sign = dot(way, normal) < 0 ? -1 : 1;
  // So near that the way there is round-off: the surface's own normal.
  const bool on_surface = length <= 1e-12 * (view_.reach + norm(x));
  return {sign * length, on_surface ? normal : (sign / norm(way)) * way, found.number, found.weights};
}

template void DeformedSurface::update(const CollisionSurface::Topology&, const StateView<const float>&, std::int64_t);
template void DeformedSurface::update(const CollisionSurface::Topology&, const StateView<const double>&, std::int64_t);

}  // namespace quartic
