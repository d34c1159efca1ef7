#include "cli/options/mesh_options.hpp"

#include "cli/options/arguments.hpp"
#include "cli/options/numbers.hpp"
#include "quartic/error.hpp"

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

}  // namespace

void add_weld_option(CLI::App& command, MeshOptions& options) {
  command
      .add_option("--weld", options.weld,
                  "Weld coincident vertices, within this tolerance [m] (1e-9 of the mesh's size)")
      ->expected(0, 1)
      ->type_name("TOLERANCE")
      ->check(check_tolerance);
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
