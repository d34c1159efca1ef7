#include "cli/reports/surface_info.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

json edge_json(const std::optional<std::array<std::int32_t, 2>>& edge) {
  return edge ? json(*edge) : json();
}

json surface_json(const TriangleMesh& surface, const SurfaceReport& report) {
  return {{"kind", "surface"},
          {"vertices", surface.vertex_count()},
          {"triangles", surface.triangle_count()},
          {"components", report.components},
          {"closed", report.closed()},
          {"boundary_edges", report.boundary_edges},
          {"first_boundary_edge", edge_json(report.first_boundary_edge)},
          {"nonmanifold_edges", report.nonmanifold_edges},
          {"first_nonmanifold_edge", edge_json(report.first_nonmanifold_edge)},
          {"misoriented_edges", report.misoriented_edges},
          {"degenerate_triangles", report.degenerate_triangles},
          {"repeated_triangles", report.repeated_triangles},
          {"unreferenced_vertices", report.unreferenced_vertices},
          {"coincident_vertices", report.coincident_vertices},
          {"area", report.area},
          {"enclosed_volume", report.enclosed_volume ? json(*report.enclosed_volume) : json()},
          {"bounding_box", report.bounding_box},
          {"warnings", report.warnings}};
}

void print_surface(const std::string& path, const TriangleMesh& surface, const SurfaceReport& report) {
  std::cout << path << ": triangle mesh\n";
  print_line("contents", counted(surface.vertex_count(), "vertex", "vertices") + ", " +
                             counted(surface.triangle_count(), "triangle", "triangles"));
  if (report.coincident_vertices > 0)
    print_line("seams", counted(report.coincident_vertices, "vertex", "vertices") + " at the place of another one");
  print_line("components", std::to_string(report.components));
  print_line("area", significant(report.area, 6) + " m^2");
  print_line("volume", report.enclosed_volume ? significant(*report.enclosed_volume, 6) + " m^3 enclosed"
                                              : "none enclosed: open, or windings differ");
  print_line("extent", extent_text(report.bounding_box));
  print_line("problems", report.warnings.empty() ? "none found" : std::to_string(report.warnings.size()));
}

}  // namespace

void describe_surface(const InfoOptions& options) {
  if (options.mesh.welds()) throw InputError(options.file + ": --weld is for volume meshes, or add --voxels");
  const TriangleMesh surface = read_triangle_mesh(options.file);
  const SurfaceReport report = check_surface(surface);
  if (options.json_report) {
    print_json(surface_json(surface, report));
  } else {
    print_surface(options.file, surface, report);
  }
  finish_report(options, report.warnings);
}

}  // namespace quartic::cli
