// How a mesh is prepared beside what every command does with it: welded, or refused where it would be repaired.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic::cli {

struct MeshOptions {
  std::vector<std::string> weld;  ///< the tolerance [m], or an empty text for the default
  bool strict = false;

  [[nodiscard]] bool welds() const { return !weld.empty(); }
};

/// --weld [TOLERANCE]
void add_weld_option(CLI::App& command, MeshOptions& options);

struct Welding {
  std::int64_t count = 0;             ///< vertices that are no longer there
  double tolerance = 0;               ///< [m]
  std::vector<std::int32_t> numbers;  ///< for each vertex of the file its number in the welded mesh
};

/// Welds as the options say, which must ask for it. @throws InputError as weld_vertices
Welding weld(VolumeMesh& mesh, const MeshOptions& options);

/// "12 vertices within 1.3e-09 m of others", "no vertices ...".
[[nodiscard]] std::string welding_text(const Welding& welding);

}  // namespace quartic::cli
