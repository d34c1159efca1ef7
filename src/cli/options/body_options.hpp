// What `reduce` and `modes` start from: a mesh, its materials, its fixed vertices.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/mesh_options.hpp"
#include "cli/options/voxel_options.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/trajectory.hpp"

namespace quartic::cli {

struct MaterialOptions {
  std::optional<double> youngs_modulus, poissons_ratio, density;  ///< for all regions
  std::string materials;                                          ///< JSON file, by region
  std::optional<MaterialLaw> law;                                 ///< of all regions
  std::optional<double> mooney_share;                             ///< likewise

  [[nodiscard]] bool given() const {
    return youngs_modulus || poissons_ratio || density || !materials.empty() || law || mooney_share;
  }
};

void add_material_options(CLI::App& command, MaterialOptions& options);

/// Gives every region of the mesh a whole material, and every element a region. @throws InputError
void set_materials(VolumeMesh& mesh, const MaterialOptions& options);

struct BodyOptions : MaterialOptions {
  std::string mesh;
  VoxelArguments voxels;
  MeshOptions preparation;
  std::vector<std::string> fix, fix_box, fix_set, fix_normal, mass_set, area_mass_set, body_set, spring_set;
  std::optional<double> fix_tolerance;
  bool free = false;
  std::string hexahedron_rule = "3x3x3";
};

void add_body_options(CLI::App& command, BodyOptions& options);

struct Body {
  VolumeMesh mesh;  ///< every region has a material, every element a region
  std::vector<std::int32_t> fixed_vertices = {};
  std::vector<Constraint> constraints = {};
  std::vector<std::string> warnings;
  std::vector<std::string> hints;
  std::int64_t file_vertices = 0;            ///< in the mesh file, and then those of --quadratic
  std::vector<std::int32_t> numbers;         ///< for each of these its number in `mesh`; -1: dropped
  std::optional<TriangleMesh> surface = {};  ///< that the mesh's voxels fill, if it was made so
  std::optional<Voxelization> voxels = {};   ///< what is known of these, without their mesh

  [[nodiscard]] Supports supports() const { return {fixed_vertices, constraints}; }
};

/// The files that the options name.
[[nodiscard]] std::vector<std::string> input_files(const BodyOptions& options);

/// --mass
void add_mass_option(CLI::App& command, std::string& mass);

/// "consistent" or "lumped".
[[nodiscard]] MassMatrix parse_mass(const std::string& name);

/// Reads what the options name, and welds it, makes it quadratic or refuses it as they say. @throws UsageError,
/// InputError
[[nodiscard]] Body read_body(const BodyOptions& options);

/// A body ready for computations, as `reduce` prepares it, which drops vertices outside all elements.
struct PreparedBody : Body {
  /// For each vertex its number in the mesh file, ascending; of welded ones the lowest; those of --quadratic come
  /// behind.
  std::vector<std::int32_t> kept_vertices;

  /// The vertex of this number in the file. @throws InputError that begins with `what` if there is none or it was
  /// dropped
  [[nodiscard]] std::int32_t vertex(std::int64_t in_file, const std::string& what) const;
};
/// @throws UsageError, InputError
[[nodiscard]] PreparedBody read_prepared_body(const BodyOptions& options);

/// Reads a motion of the model that was read from `model_path`. @throws InputError if its rank differs
[[nodiscard]] Trajectory load_motion(const std::string& path, const ReducedModel& model, const std::string& model_path);

/// A model, and a motion of it.
struct DrawnMotion {
  ReducedModel model;  ///< of motions in linear modes, `modal_model` of what was read
  Trajectory motion;
};

/// Reads both, also a motion in linear modes, for which a model of `quartic modes` will do. @throws InputError if they
/// don't fit each other
[[nodiscard]] DrawnMotion load_drawn_motion(const std::string& motion_path, const std::string& model_path);

/// Reads a model and takes its linear modes for the basis. @throws InputError if there are none
[[nodiscard]] ReducedModel load_modal_model(const std::string& path);

/// Reads a model that has a basis. @throws InputError, also for one of linear modes only
[[nodiscard]] ReducedModel load_reduced_model(const std::string& path);

}  // namespace quartic::cli
