#include "cli/runs/watched_vertex.hpp"

#include <cmath>

namespace quartic::cli {

WatchedVertex watch(const Snapshots& snapshots, std::int32_t vertex) {
  WatchedVertex watched{.vertex = vertex};
  double farthest = 0;
  for (std::int64_t n = 0; n < snapshots.count(); ++n) {
    const double* u = snapshots.displacements.col(n).data() + 3 * static_cast<std::ptrdiff_t>(vertex);
    const double length = std::hypot(u[0], u[1], u[2]);
    if (length <= farthest) continue;
    farthest = length;
    watched.direction = {u[0] / length, u[1] / length, u[2] / length};
  }
  return watched;
}

WatchedVertex most_displaced(const Snapshots& snapshots) {
  double farthest = 0;
  std::int32_t vertex = 0;
  for (std::int64_t n = 0; n < snapshots.count(); ++n) {
    const auto u = snapshots.displacements.col(n);
    for (std::size_t v = 0; 3 * v < u.size(); ++v) {
      const double length = std::hypot(u[3 * v], u[3 * v + 1], u[3 * v + 2]);
      if (length <= farthest) continue;
      farthest = length;
      vertex = static_cast<std::int32_t>(v);
    }
  }
  return watch(snapshots, vertex);
}

}  // namespace quartic::cli
