// What `quartic info` tells of a mesh.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/mesh_options.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

struct InfoOptions {
  std::string file;
  MeshOptions mesh;
  bool json_report = false;
};

/// Names and materials of all regions.
[[nodiscard]] nlohmann::json region_materials(const VolumeMesh& mesh);
void print_regions(const VolumeMesh& mesh);

/// Reads, welds if asked to, checks and prints. @throws InputError for a file that can't be read or welded, or, with
/// --strict, with all warnings
void describe_mesh(const InfoOptions& options);

}  // namespace quartic::cli
