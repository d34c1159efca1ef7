#include "core/surface/triangle_cube.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "core/elements/vectors.hpp"

namespace quartic {
namespace {

using Vector = TriangleCubeTest::Vector;

}  // namespace

TriangleCubeTest::TriangleCubeTest(const std::array<Vector, 3>& corners, double edge) {
  const std::array<Vector, 3> edges = {difference(corners[1], corners[0]), difference(corners[2], corners[1]),
                                       difference(corners[0], corners[2])};
  add(cross(edges[0], edges[1]), corners, edge);
  constexpr std::array<Vector, 3> normals = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (const Vector& along : edges)
    for (const Vector& normal : normals) add(cross(along, normal), corners, edge);
}

void TriangleCubeTest::add(const Vector& axis, const std::array<Vector, 3>& corners, double edge) {
  const std::array<double, 3> at = {dot(axis, corners[0]), dot(axis, corners[1]), dot(axis, corners[2])};
  const double reach = 0.5 * edge * (std::abs(axis[0]) + std::abs(axis[1]) + std::abs(axis[2]));
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  // Far more than the round-off of these products, far less than a cube.
  constexpr double slack = 1e-9;
  const double size = slack * reach;
  slabs_[static_cast<std::size_t>(count_++)] = {axis, *low - reach - size, *high + reach + size,
                                                std::isnormal(axis[0]) ? 1 / axis[0] : 0};
}

std::array<double, 2> TriangleCubeTest::row(double y, double z) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double first = -infinity, last = infinity;
  for (const Slab& slab : std::span(slabs_).first(static_cast<std::size_t>(count_))) {
    const double at = slab.axis[1] * y + slab.axis[2] * z;
    if (slab.inverse == 0) {
      if (at < slab.low || at > slab.high) return {infinity, -infinity};
      continue;
    }
    const double a = (slab.low - at) * slab.inverse, b = (slab.high - at) * slab.inverse;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return {first, last};
}

}  // namespace quartic
