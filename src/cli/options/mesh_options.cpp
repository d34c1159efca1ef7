#include "cli/options/mesh_options.hpp"

#include <algorithm>
#include <utility>

#include "cli/options/arguments.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

namespace {

double parse_tolerance(const std::string& text) {
  return parse_numbers<1>("--weld", text)[0];
}

/// The tolerance may be left out, and then the parser takes what comes next for it.
std::string check_tolerance(const std::string& text) {
  if (text.empty()) return {};
  try {
    if (parse_tolerance(text) >= 0) return {};
  } catch (const UsageError&) {
    return "'" + text + "' is not a tolerance; write MESH before --weld, or --weld=TOLERANCE";
  }
  return "the tolerance must be 0 or more";
}

/// Curves the boundary by the surface in a file.
std::string curve(VolumeMesh& mesh, const std::string& file, std::vector<std::string>& warnings) {
  const TriangleMesh surface = read_triangle_mesh(file);
  warnings.insert(warnings.end(), surface.warnings.begin(), surface.warnings.end());
  const BoundaryCurving curving = curve_boundary(mesh, surface);
  const auto stay = [&](std::int64_t edges, const char* why) {
    if (edges > 0)
      warnings.push_back("--curve: " + counted(edges, "boundary edge stays", "boundary edges stay") + " straight, " +
                         why);
  };
  stay(curving.off_surface,
       "since no face beside them lies on the surface, wound as it is, or it is too far from their middle");
  stay(curving.at_crease, "since no point near their middle lies on the surface's patches on both sides");
  stay(curving.would_fold, "since an element would be folded");
  if (curving.away_from_surface())
    warnings.push_back("--curve: the mesh's volume goes from " + significant(curving.volume_before) + " to " +
                       significant(curving.volume_after) + " m^3, away from the " +
                       significant(*curving.enclosed_volume) +
                       " m^3 that the surface encloses; see whether it is that of this body, or leave --curve out");
  const std::string edges = counted(curving.curved, "boundary edge", "boundary edges") + " curved";
  return edges + (curving.curved > 0 ? " by up to " + significant(curving.largest_distance, 2) + " m" : "") +
         (curving.on_surface > 0 ? ", " + std::to_string(curving.on_surface) + " on the surface already" : "");
}

}  // namespace

void add_weld_option(CLI::App& command, MeshOptions& options) {
  command
      .add_option("--weld", options.weld,
                  "Weld coincident vertices, within this tolerance [m] (1e-9 of the mesh's size)")
      ->expected(0, 1)
      ->type_name("TOLERANCE")
      ->check(check_tolerance);
}

void add_quadratic_options(CLI::App& command, MeshOptions& options) {
  CLI::Option* quadratic = command.add_flag(
      "--quadratic", options.quadratic,
      "Make linear elements quadratic (tet10, hex20, wedge15), which bend well; edges stay straight without --curve");
  command
      .add_option("--curve", options.curve,
                  "Triangle mesh (OBJ, PLY, STL, glTF) of the body's surface, onto which the middles of boundary edges "
                  "go whose ends lie on it")
      ->type_name("FILE")
      ->needs(quadratic);
}

std::string raise_order(VolumeMesh& mesh, const MeshOptions& options, std::vector<std::string>& warnings) {
  const auto is_quadratic = [](const ElementBlock& block) {
    return block.type == ElementType::tet10 || block.type == ElementType::hex20 || block.type == ElementType::wedge15;
  };
  const std::int64_t before = mesh.vertex_count();
  std::string text = "nothing: elements are quadratic already";
  if (!std::all_of(mesh.blocks.begin(), mesh.blocks.end(), is_quadratic)) {
    mesh = make_quadratic(std::move(mesh));
    text = counted(mesh.vertex_count() - before, "vertex", "vertices") + " in the middle of edges, numbered from " +
           std::to_string(before);
  }
  return options.curve.empty() ? text : text + "; " + curve(mesh, options.curve, warnings);
}

Welding weld(VolumeMesh& mesh, const MeshOptions& options) {
  Welding welding;
  const std::string& text = options.weld.front();
  welding.tolerance = text.empty() ? default_weld_tolerance(mesh) : parse_tolerance(text);
  welding.count = weld_vertices(mesh, welding.tolerance, &welding.numbers);
  return welding;
}

std::string welding_text(const Welding& welding) {
  return (welding.count == 0 ? "no vertices" : counted(welding.count, "vertex", "vertices")) + " within " +
         significant(welding.tolerance, 2) + " m of others";
}

}  // namespace quartic::cli
