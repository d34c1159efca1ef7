#include "cli/options/voxel_options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

constexpr int finest_voxels = 1024;

std::string voxels_text(const Voxelization& voxels) {
  if (voxels.mesh.element_count() < voxels.surface_voxels + voxels.interior_voxels + voxels.added_voxels)
    return counted(voxels.mesh.element_count(), "voxel", "voxels") + " of " + significant(voxels.edge) +
           " m, the largest part";
  std::string text = counted(voxels.mesh.element_count(), "voxel", "voxels") + " of " + significant(voxels.edge) +
                     " m: " + std::to_string(voxels.surface_voxels) + " at the surface, " +
                     std::to_string(voxels.interior_voxels) + " inside";
  if (voxels.added_voxels > 0) text += ", " + std::to_string(voxels.added_voxels) + " where others hung by an edge";
  if (voxels.cavity_voxels > 0) text += "; " + std::to_string(voxels.cavity_voxels) + " left empty in cavities";
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

double voxels_across(const Voxelization& voxels) {
  return *voxels.thickness / voxels.edge;
}

/// "50 % more than", "12 % less than"
std::string difference_text(double ratio) {
  return significant(100 * std::abs(ratio - 1), 3) + (ratio > 1 ? " % more than" : " % less than");
}

std::vector<std::string> volume_warnings(const Voxelization& voxels) {
  constexpr double tolerance = 0.05;
  const auto ratio = voxels.volume_ratio();
  if (!ratio)
    return {
        "the surface encloses no volume (it is open, or its windings differ), which that of the voxels could be "
        "compared with, and its cavities are filled; `quartic info` without --voxels tells where"};
  if (std::abs(*ratio - 1) <= tolerance) return {};
  return {"the voxels hold " + significant(voxels.volume, 3) + " m^3, " + difference_text(*ratio) + " the " +
          significant(*voxels.enclosed_volume, 3) + " m^3 that the surface encloses" +
          (*ratio > 1
               ? ", and are as much heavier, and stiffer; more --voxels come closer, --voxel-mass keep keeps the mass"
               : ": parts that overlap count twice there, and an inner shell is a cavity only if it is wound "
                 "inwards")};
}

/// Of bodies that are thin for their size: where cubes are too few across, bending is too stiff.
std::vector<std::string> thickness_warnings(const Voxelization& voxels, int resolution) {
  constexpr double fewest = 4, round_off = 1e-6;
  if (!voxels.thickness || !(*voxels.thickness > 0)) return {};
  const double across = voxels_across(voxels);
  if (across >= fewest - round_off || *voxels.thickness > voxels.edge * resolution / fewest) return {};
  const double needed = std::ceil(fewest * resolution / across - round_off);
  return {"there are only " + significant(across, 3) + " voxels across the surface's thickness of " +
          significant(*voxels.thickness, 3) + " m (a tenth of its area is thinner), too few to bend as it should; " +
          (needed <= finest_voxels ? "--voxels " + std::to_string(static_cast<int>(needed)) + " puts four there"
                                   : "four there would be more than --voxels can make: use a volume mesh")};
}

void append(std::vector<std::string>& sentences, const std::vector<std::string>& more) {
  sentences.insert(sentences.end(), more.begin(), more.end());
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
  append(warnings, volume_warnings(voxels));
  append(warnings, thickness_warnings(voxels, *options.resolution));
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
  append(input.warnings, warnings_of(voxels, options));
  input.mesh = std::move(voxels.mesh);
  input.surface = std::move(surface);
  input.voxels = std::move(voxels);
  return input;
}

}  // namespace

void add_voxel_options(CLI::App& command, VoxelArguments& options) {
  const auto group = "Triangle meshes";
  CLI::Option* voxels = command
                            .add_option("--voxels", options.resolution,
                                        "Fill a triangle mesh (OBJ, PLY, STL, glTF) with cubes, so many along its "
                                        "longest edge")
                            ->check(CLI::Range(1, finest_voxels))
                            ->group(group);
  command.add_flag("--largest-part", options.only_largest_part, "Keep only the largest connected part")
      ->needs(voxels)
      ->group(group);
}

void add_voxel_mass_option(CLI::App& command, VoxelArguments& options) {
  command
      .add_option(
          "--voxel-mass", options.mass,
          "What stays as it is: density, the one that is given, or keep, the mass that the surface's volume has "
          "with it")
      ->check(CLI::IsMember({"density", "keep"}))
      ->capture_default_str()
      ->needs(command.get_option("--voxels"))
      ->group("Triangle meshes");
}

std::vector<std::string> scale_voxel_density(VolumeMesh& mesh, const std::optional<Voxelization>& voxels,
                                             const VoxelArguments& options) {
  if (!voxels || options.mass != "keep") return {};
  const auto ratio = voxels->volume_ratio();
  if (!ratio)
    throw InputError(
        "--voxel-mass keep: the surface encloses no volume (it is open, or its windings differ), so that its mass "
        "isn't "
        "known; `quartic info` without --voxels tells where, or scale --density yourself");
  for (Region& region : mesh.regions)
    if (region.material) region.material->density /= *ratio;
  return {"--voxel-mass keep multiplied densities by " + significant(1 / *ratio) +
          ", the surface's volume over the voxels'"};
}

nlohmann::json voxels_json(const std::optional<Voxelization>& voxels) {
  if (!voxels) return nullptr;
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"edge", voxels->edge},
          {"volume", voxels->volume},
          {"surface_volume", number(voxels->enclosed_volume)},
          {"volume_ratio", number(voxels->volume_ratio())},
          {"cavity_voxels", voxels->cavity_voxels},
          {"thickness", number(voxels->thickness)},
          {"voxels_per_thickness", voxels->thickness ? nlohmann::json(voxels_across(*voxels)) : nlohmann::json()}};
}

std::string voxel_volume_text(const Voxelization& voxels) {
  std::string text = significant(voxels.volume) + " m^3";
  if (const auto ratio = voxels.volume_ratio())
    text += ", " + significant(*ratio) + " times the " + significant(*voxels.enclosed_volume) +
            " m^3 that the surface encloses";
  if (voxels.thickness)
    text += "; " + significant(voxels_across(voxels), 3) + " voxels across its thickness of " +
            significant(*voxels.thickness, 3) + " m";
  return text;
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
