// What `quartic info` tells of a mesh.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/mesh_options.hpp"
#include "cli/options/voxel_options.hpp"
#include "quartic/mesh.hpp"

namespace quartic::cli {

struct InfoOptions {
  std::string file;
  MeshOptions mesh;
  VoxelArguments voxels;
  bool json_report = false;
};

/// Names and materials of all regions.
[[nodiscard]] nlohmann::json region_materials(const VolumeMesh& mesh);
void print_regions(const VolumeMesh& mesh);

/// "1 x 0.1 x 0.1 m, from 0, 0, 0" of x0, y0, z0, x1, y1, z1.
[[nodiscard]] std::string extent_text(const std::array<double, 6>& box);

/// Prints the warnings. @throws InputError with all of them if there are any and --strict is given
void finish_report(const InfoOptions& options, const std::vector<std::string>& warnings);

/// Reads, voxelises and welds if asked to, checks and prints. @throws InputError for a file that can't be read or
/// welded, or, with
/// --strict, with all warnings
void describe_mesh(const InfoOptions& options);

}  // namespace quartic::cli
