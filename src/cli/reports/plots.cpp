#include "cli/reports/plots.hpp"

#include <utility>

#include "cli/values/numbers.hpp"
#include "io/files/atomic_file.hpp"

namespace quartic::cli {

std::string vertex_text(const VolumeMesh& mesh, std::int32_t vertex, std::optional<std::int32_t> number) {
  const double* rest = mesh.vertices.data() + 3 * static_cast<std::ptrdiff_t>(vertex);
  return "vertex " + std::to_string(number.value_or(vertex)) + " at (" + significant(rest[0]) + ", " +
         significant(rest[1]) + ", " + significant(rest[2]) + ") m";
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
