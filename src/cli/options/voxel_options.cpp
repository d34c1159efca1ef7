#include "cli/options/voxel_options.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/options/numbers.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

std::string voxels_text(const Voxelization& voxels) {
  if (voxels.mesh.element_count() < voxels.surface_voxels + voxels.interior_voxels + voxels.added_voxels)
    return counted(voxels.mesh.element_count(), "voxel", "voxels") + " of " + significant(voxels.edge) +
           " m, the largest part";
  std::string text = counted(voxels.mesh.element_count(), "voxel", "voxels") + " of " + significant(voxels.edge) +
                     " m: " + std::to_string(voxels.surface_voxels) + " at the surface, " +
                     std::to_string(voxels.interior_voxels) + " inside";
  if (voxels.added_voxels > 0) text += ", " + std::to_string(voxels.added_voxels) + " where others hung by an edge";
  return text;
}

/// "5000, 20, 10"; of many parts the largest.
std::string part_sizes(const std::vector<std::int64_t>& parts) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t p = 0; p < std::min(parts.size(), shown); ++p)
    text += (text.empty() ? "" : ", ") + std::to_string(parts[p]);
  return text + (parts.size() > shown ? ", ..." : "");
}

std::vector<std::string> warnings_of(const Voxelization& voxels, const VoxelArguments& options) {
  std::vector<std::string> warnings;
  if (voxels.parts.size() > 1) {
    const std::string parts = "the voxels are " + std::to_string(voxels.parts.size()) + " parts that share no face (" +
                              part_sizes(voxels.parts) + " voxels)";
    warnings.push_back(parts + (options.only_largest_part
                                    ? "; all but the first are left out"
                                    : "; --largest-part leaves out all but the first, fewer --voxels may join them"));
  }
  if (voxels.interior_voxels == 0)
    warnings.emplace_back(
        "no voxel lies inside: the surface is thin, has holes wider than a voxel and became a shell, or needs more "
        "voxels");
  return warnings;
}

TriangleMesh read_surface(const std::string& path) {
  try {
    return read_triangle_mesh(path);
  } catch (const ParseError&) {
    if (looks_like_triangle_mesh(path)) throw;
    (void)read_mesh(path);  // or its message
    throw InputError(path + ": this is a volume mesh already; leave out --voxels");
  }
}

InputMesh voxelize_file(const std::string& path, const VoxelArguments& options) {
  TriangleMesh surface = read_surface(path);
  VoxelOptions voxel_options;
  voxel_options.resolution = *options.resolution;
  voxel_options.region = std::filesystem::path(path).stem().string();
  voxel_options.only_largest_part = options.only_largest_part;
  Voxelization voxels = voxelize(surface, voxel_options);
  InputMesh input{{}, {voxels_text(voxels)}, surface.warnings};
  for (std::string& warning : warnings_of(voxels, options)) input.warnings.push_back(std::move(warning));
  input.mesh = std::move(voxels.mesh);
  input.surface = std::move(surface);
  return input;
}

}  // namespace

void add_voxel_options(CLI::App& command, VoxelArguments& options) {
  const auto group = "Triangle meshes";
  CLI::Option* voxels = command
                            .add_option("--voxels", options.resolution,
                                        "Fill a triangle mesh (OBJ, PLY, STL, glTF) with cubes, so many along its "
                                        "longest edge")
                            ->check(CLI::Range(1, 1024))
                            ->group(group);
  command.add_flag("--largest-part", options.only_largest_part, "Keep only the largest connected part")
      ->needs(voxels)
      ->group(group);
}

InputMesh read_input_mesh(const std::string& path, const VoxelArguments& options) {
  if (options.resolution) return voxelize_file(path, options);
  try {
    InputMesh input{read_mesh(path), {}, {}};
    input.warnings = input.mesh.warnings;
    return input;
  } catch (const ParseError&) {
    if (!looks_like_triangle_mesh(path)) throw;
    throw InputError(path +
                     ": this is a triangle mesh, which has no volume; give --voxels 64, for example, to fill it with "
                     "cubes, so many along its longest edge");
  }
}

}  // namespace quartic::cli
