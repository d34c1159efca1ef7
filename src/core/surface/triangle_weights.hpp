// The point of a triangle that is nearest to the origin, for the host and for kernels.
#pragma once

#include <limits>

#include "core/base/host_device.hpp"
#include "core/frame/vector3.hpp"

namespace quartic {

/// Barycentric coordinates.
struct TriangleWeights {
  double of[3];
};

/// Of a triangle without area, the nearest point of its edges.
[[nodiscard]] QUARTIC_HD inline TriangleWeights nearest_weights(const frame::Vector3<double>& a,
                                                                const frame::Vector3<double>& b,
                                                                const frame::Vector3<double>& c) {
  const frame::Vector3<double> normal = cross(b - a, c - a);
  const double square = dot(normal, normal);
  if (square > 0) {
    const double wb = -dot(cross(a, c - a), normal) / square, wc = -dot(cross(b - a, a), normal) / square;
    if (wb >= 0 && wc >= 0 && wb + wc <= 1) return {{1 - wb - wc, wb, wc}};
  }
  const frame::Vector3<double> corners[3] = {a, b, c};
  TriangleWeights best = {{1, 0, 0}};
  double nearest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    const frame::Vector3<double>&from = corners[i], edge = corners[next] - from;
    const double length = dot(edge, edge), along = -dot(from, edge);
    const double share = length > 0 ? along / length : 0;
    const double t = share < 0 ? 0 : share > 1 ? 1 : share;
    const frame::Vector3<double> place = from + t * edge;
    const double distance = dot(place, place);
    if (distance >= nearest) continue;
    nearest = distance;
    best = {};
    best.of[i] = 1 - t;
    best.of[next] = t;
  }
  return best;
}

}  // namespace quartic
