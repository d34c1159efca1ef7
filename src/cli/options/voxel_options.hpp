// Volume meshes that commands start from: read from a file, or made of a triangle mesh's voxels.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

struct VoxelArguments {
  std::optional<int> resolution;
  bool only_largest_part = false;
};

/// --voxels N, --largest-part
void add_voxel_options(CLI::App& command, VoxelArguments& options);

struct InputMesh {
  VolumeMesh mesh;
  std::vector<std::string> notes;            ///< what --voxels made
  std::vector<std::string> warnings;         ///< of the reader, and of the voxels
  std::optional<TriangleMesh> surface = {};  ///< that the voxels fill
};

/// Reads a volume mesh, or fills a triangle mesh with voxels if the options say so; their region has the file's stem
/// for a name and no material. @throws InputError, also for a triangle mesh without --voxels, or a volume mesh with it
[[nodiscard]] InputMesh read_input_mesh(const std::string& path, const VoxelArguments& options);

}  // namespace quartic::cli
