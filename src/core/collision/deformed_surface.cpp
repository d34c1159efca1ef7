#include "core/collision/deformed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quartic {

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
  fit_boxes();
  view_.vertices = vertices_.data(), view_.triangles = topology.triangles.data();
  view_.levels = topology.levels;
  std::ranges::copy(topology.starts, view_.starts);
  view_.boxes = boxes_.data(), view_.numbers = topology.numbers.data();
  view_.reach = 0;
  for (const double x : vertices_) view_.reach = std::max(view_.reach, std::abs(x));
}

// Those of triangles, and then of the boxes below.
void DeformedSurface::fit_boxes() {
  constexpr double none = std::numeric_limits<double>::infinity();
  const auto& starts = topology_->starts;
  const int levels = topology_->levels;
  boxes_.resize(6 * static_cast<std::size_t>(starts[static_cast<std::size_t>(levels)]));
  const std::int32_t singles = starts[1];
  for (std::int32_t n = 0; n < singles; ++n) {
    double* box = boxes_.data() + 6 * std::size_t{static_cast<std::uint32_t>(n)};
    std::fill_n(box, 3, none), std::fill_n(box + 3, 3, -none);
    const std::int32_t* corners = topology_->triangles.data() + 3 * topology_->numbers[static_cast<std::size_t>(n)];
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) {
        const double x = vertices_[3 * static_cast<std::size_t>(corners[c]) + static_cast<std::size_t>(k)];
        box[k] = std::min(box[k], x), box[3 + k] = std::max(box[3 + k], x);
      }
  }
  for (int level = 1; level < levels; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const std::int32_t below = starts[l - 1], count = starts[l] - below;
    for (std::int32_t n = 0; n < starts[l + 1] - starts[l]; ++n) {
      double* box = boxes_.data() + 6 * static_cast<std::size_t>(starts[l] + n);
      std::fill_n(box, 3, none), std::fill_n(box + 3, 3, -none);
      for (std::int32_t c = n * MeshView::fan_out; c < std::min((n + 1) * MeshView::fan_out, count); ++c) {
        const double* child = boxes_.data() + 6 * static_cast<std::size_t>(below + c);
        for (int k = 0; k < 3; ++k)
          box[k] = std::min(box[k], child[k]), box[3 + k] = std::max(box[3 + k], child[3 + k]);
      }
    }
  }
}

double DeformedSurface::box_distance(const ContactPoint& x) const {
  return std::sqrt(view_.box_distance(view_.levels - 1, 0, x));
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

NearestOnSurface DeformedSurface::nearest(const ContactPoint& x) const {
  const NearestTriangle found = nearest_triangle(view_, x);
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
