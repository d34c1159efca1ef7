// Signed distances on a lattice, for the host and for kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/contact/nearest_on_solid.hpp"

namespace quartic {

/// Of DistanceGrid.
struct GridView {
  frame::Vector3<double> origin = {};
  double spacing = 1;
  std::int32_t counts[3] = {};
  const double* values = nullptr;

  [[nodiscard]] QUARTIC_HD double at(const std::int64_t (&p)[3]) const {
    return values[(p[2] * counts[1] + p[1]) * counts[0] + p[0]];
  }
  /// Central differences along an axis, at the faces one-sided.
  [[nodiscard]] QUARTIC_HD double slope_along(int axis, const std::int64_t (&p)[3]) const {
    std::int64_t low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
    if (low[axis] > 0) --low[axis];
    if (high[axis] < counts[axis] - 1) ++high[axis];
    return (at(high) - at(low)) / (static_cast<double>(high[axis] - low[axis]) * spacing);
  }
};

[[nodiscard]] QUARTIC_HD inline NearestOnSolid nearest_on_grid(const GridView& grid, const frame::Vector3<double>& x) {
  const double coordinates[3] = {x.x - grid.origin.x, x.y - grid.origin.y, x.z - grid.origin.z};
  std::int64_t cell[3];
  double share[3], way[3];
  for (int a = 0; a < 3; ++a) {
    const double place = coordinates[a] / grid.spacing, last = static_cast<double>(grid.counts[a] - 1);
    if (!(place - place == 0)) return {std::numeric_limits<double>::quiet_NaN(), {0, 0, 1}};  // in no cell
    const double within = place < 0 ? 0 : place > last ? last : place;
    cell[a] = static_cast<std::int64_t>(within);
    if (cell[a] > grid.counts[a] - 2) cell[a] = grid.counts[a] - 2;
    share[a] = within - static_cast<double>(cell[a]);
    way[a] = (place - within) * grid.spacing;
  }
  const double outside = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  double gap = outside, gradient[3] = {};
  for (int corner = 0; corner < 8; ++corner) {
    std::int64_t place[3];
    double weight = 1;
    for (int a = 0; a < 3; ++a) {
      const bool far = (corner >> a & 1) != 0;
      place[a] = cell[a] + (far ? 1 : 0);
      weight *= far ? share[a] : 1 - share[a];
    }
    gap += weight * grid.at(place);
    for (int a = 0; a < 3; ++a) gradient[a] += weight * grid.slope_along(a, place);
  }
  if (outside > 0)  // the nearest point moves along the axes that x isn't beyond
    for (int a = 0; a < 3; ++a) gradient[a] = (way[a] != 0 ? 0 : gradient[a]) + (1 / outside) * way[a];
  const frame::Vector3<double> normal = {gradient[0], gradient[1], gradient[2]};
  return {gap, unit_vector(normal, norm(normal), {0, 0, 1})};
}

}  // namespace quartic
