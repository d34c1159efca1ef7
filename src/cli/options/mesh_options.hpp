// How a mesh is prepared beside what every command does with it: welded, made quadratic, or refused where it would be
// repaired.
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
  bool quadratic = false;
  std::string curve;  ///< triangle mesh by which the boundary's new edges are curved; empty: they stay straight

  [[nodiscard]] bool welds() const { return !weld.empty(); }
};

/// --weld [TOLERANCE]
void add_weld_option(CLI::App& command, MeshOptions& options);

/// --quadratic, --curve FILE
void add_quadratic_options(CLI::App& command, MeshOptions& options);

/// Makes linear elements quadratic, with new vertices in the middle of edges behind the old ones, and curves the
/// boundary if the options say so. A mesh of quadratic elements keeps its vertices.
/// @return what was done, for people @param warnings get those of the surface's reader, and what stayed straight
/// @throws InputError as make_quadratic and curve_boundary
std::string raise_order(VolumeMesh& mesh, const MeshOptions& options, std::vector<std::string>& warnings);

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
