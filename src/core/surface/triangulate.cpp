#include "core/surface/triangulate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace quartic {
namespace {

struct Flat {
  double x, y;
};

double cross(const Flat& a, const Flat& b, const Flat& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The polygon seen along the axis in which its area is largest, counter-clockwise.
std::vector<Flat> flatten(std::span<const std::array<double, 3>> corners) {
  std::array<double, 3> normal{};  // Newell's
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto& a = corners[i];
    const auto& b = corners[(i + 1) % corners.size()];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      normal[axis] += (a[u] - b[u]) * (a[v] + b[v] - 2 * corners[0][v]);
    }
  }
  std::size_t axis = 0;
  for (std::size_t other = 1; other < 3; ++other)
    if (std::abs(normal[other]) > std::abs(normal[axis])) axis = other;
  const double sign = normal[axis] < 0 ? -1 : 1;
  std::vector<Flat> flat;
  for (const auto& corner : corners) flat.push_back({sign * corner[(axis + 1) % 3], corner[(axis + 2) % 3]});
  return flat;
}

class EarClipping {
 public:
  explicit EarClipping(std::span<const std::array<double, 3>> corners)
      : corners_(corners), flat_(flatten(corners)), left_(corners.size()) {
    std::iota(left_.begin(), left_.end(), 0);
  }

  std::vector<std::int32_t> run() {
    while (left_.size() > 3) clip(best_ear());
    triangles_.insert(triangles_.end(), left_.begin(), left_.end());
    return triangles_;
  }

 private:
  [[nodiscard]] std::int32_t around(std::size_t i, std::size_t steps) const {
    return left_[(i + steps) % left_.size()];
  }
  [[nodiscard]] const Flat& flat(std::int32_t corner) const { return flat_[static_cast<std::size_t>(corner)]; }

  /// Whether the corner after place i is convex and no other corner lies in its triangle.
  [[nodiscard]] bool is_ear(std::size_t i) const {
    const Flat &a = flat(around(i, 0)), &b = flat(around(i, 1)), &c = flat(around(i, 2));
    if (cross(a, b, c) <= 0) return false;
    for (std::size_t k = 3; k < left_.size(); ++k) {
      const Flat& p = flat(around(i, k));
      const auto is_at = [&p](const Flat& corner) { return p.x == corner.x && p.y == corner.y; };
      if (is_at(a) || is_at(b) || is_at(c)) continue;  // polygons with holes go twice along a bridge
      if (cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0) return false;
    }
    return true;
  }
  [[nodiscard]] double new_side(std::size_t i) const {
    const auto &a = corners_[static_cast<std::size_t>(around(i, 0))],
               &c = corners_[static_cast<std::size_t>(around(i, 2))];
    return std::hypot(a[0] - c[0], a[1] - c[1], a[2] - c[2]);
  }
  [[nodiscard]] std::size_t best_ear() const {
    std::size_t best = left_.size();
    for (std::size_t i = 0; i < left_.size(); ++i)
      if (is_ear(i) && (best == left_.size() || new_side(i) < new_side(best))) best = i;
    return best == left_.size() ? 0 : best;
  }
  void clip(std::size_t i) {
    for (std::size_t step = 0; step < 3; ++step) triangles_.push_back(around(i, step));
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>((i + 1) % left_.size()));
  }

  std::span<const std::array<double, 3>> corners_;
  std::vector<Flat> flat_;
  std::vector<std::int32_t> left_, triangles_;
};

}  // namespace

std::vector<std::int32_t> triangulate(std::span<const std::array<double, 3>> corners) {
  return EarClipping(corners).run();
}

}  // namespace quartic
