#include "cli/reports/plots.hpp"

#include <cmath>
#include <utility>

#include "cli/options/numbers.hpp"
#include "io/files/atomic_file.hpp"

namespace quartic::cli {

std::string vertex_text(const VolumeMesh& mesh, std::int32_t vertex, std::optional<std::int32_t> number) {
  const double* rest = mesh.vertices.data() + 3 * static_cast<std::ptrdiff_t>(vertex);
  return "vertex " + std::to_string(number.value_or(vertex)) + " at (" + significant(rest[0]) + ", " +
         significant(rest[1]) + ", " + significant(rest[2]) + ") m";
}

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

io::Plot displacement_plot(const Snapshots& snapshots, std::int32_t vertex, std::string title) {
  io::Plot plot{.title = std::move(title),
                .x_label = "time [s]",
                .y_label = "displacement [m]",
                .x = snapshots.time,
                .lines = {{"x", {}}, {"y", {}}, {"z", {}}}};
  for (std::int64_t n = 0; n < snapshots.count(); ++n)
    for (std::int64_t axis = 0; axis < 3; ++axis)
      plot.lines[static_cast<std::size_t>(axis)].y.push_back(
          snapshots.displacements(3 * std::int64_t{vertex} + axis, n));
  return plot;
}

void write_plot(const io::Plot& plot, const std::filesystem::path& path) {
  io::AtomicFile file(path);
  file.write(io::svg_text(plot));
  file.commit();
}

}  // namespace quartic::cli
