// Volume meshes that commands start from: read from a file, or made of a triangle mesh's voxels.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

struct VoxelArguments {
  std::optional<int> resolution;
  bool only_largest_part = false;
  std::string mass = "density";  ///< what stays: the density that was given, or the surface's mass (keep)
};

/// --voxels N, --largest-part
void add_voxel_options(CLI::App& command, VoxelArguments& options);

/// --voxel-mass, for commands that take a density; after --voxels
void add_voxel_mass_option(CLI::App& command, VoxelArguments& options);

struct InputMesh {
  VolumeMesh mesh;
  std::vector<std::string> notes;            ///< what --voxels made
  std::vector<std::string> warnings;         ///< of the reader, and of the voxels
  std::optional<TriangleMesh> surface = {};  ///< that the voxels fill
  std::optional<Voxelization> voxels = {};   ///< what is known of them; their mesh is the one above
};

/// Reads a volume mesh, or fills a triangle mesh with voxels if the options say so; their region has the file's stem
/// for a name and no material. @throws InputError, also for a triangle mesh without --voxels, or a volume mesh with it
[[nodiscard]] InputMesh read_input_mesh(const std::string& path, const VoxelArguments& options);

/// With --voxel-mass keep, divides all densities by the ratio of the voxels' volume to the surface's.
/// @return a sentence that tells so @throws InputError if the surface encloses no volume
[[nodiscard]] std::vector<std::string> scale_voxel_density(VolumeMesh& mesh, const std::optional<Voxelization>& voxels,
                                                           const VoxelArguments& options);

/// Edge, volumes, thickness; null if there are no voxels.
[[nodiscard]] nlohmann::json voxels_json(const std::optional<Voxelization>& voxels);
/// "8.64e-05 m^3, 1.5 times the 5.76e-05 m^3 that the surface encloses; 1.33 voxels across its thickness of 0.008 m"
[[nodiscard]] std::string voxel_volume_text(const Voxelization& voxels);

}  // namespace quartic::cli
