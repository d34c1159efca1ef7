#include "cli/options/body_options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/options/arguments.hpp"
#include "cli/options/inputs.hpp"
#include "cli/options/support_options.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

json read_json(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw FileError(path + ": it is a folder, not a JSON file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": can't be opened for reading");
  try {
    return json::parse(file);
  } catch (const json::exception& error) {
    throw ParseError(path, 0, std::string("this isn't JSON: ") + error.what());
  }
}

[[noreturn]] void fail_entry(const std::string& path, const Region& region, const std::string& key,
                             const std::string& what) {
  throw InputError(path + ": region '" + region.name + "': '" + key + "' " + what);
}

MaterialLaw law_of_entry(const std::string& name, const Region& region, const std::string& path) {
  try {
    return find_material_law(name);
  } catch (const InputError& error) {
    fail_entry(path, region, "law", std::string("can't be used: ") + error.what());
  }
}

/// Puts the numbers of one region's entry over what the region has.
void override_material(Region& region, const json& entry, const std::string& path) {
  if (!entry.is_object()) throw InputError(path + ": region '" + region.name + "' needs an object of material values");
  constexpr double unset = std::numeric_limits<double>::quiet_NaN();  // refused by require_complete if it stays
  Material material = region.material.value_or(Material{unset, unset, unset});
  for (const auto& [key, value] : entry.items()) {
    if (key == "law") {
      if (!value.is_string()) fail_entry(path, region, key, "needs a name in quotation marks");
      material.law = law_of_entry(value.get<std::string>(), region, path);
      continue;
    }
    if (!value.is_number()) fail_entry(path, region, key, "needs a number");
    if (key == "youngs_modulus") {
      material.youngs_modulus = value.get<double>();
    } else if (key == "poissons_ratio") {
      material.poissons_ratio = value.get<double>();
    } else if (key == "density") {
      material.density = value.get<double>();
    } else if (key == "mooney_share") {
      material.mooney_share = value.get<double>();
    } else {
      fail_entry(path, region, key,
                 "isn't known; known are youngs_modulus, poissons_ratio, density, law and mooney_share");
    }
  }
  region.material = material;
}

std::vector<std::int32_t> regions_named(const std::string& name, const VolumeMesh& mesh, const std::string& path) {
  try {
    return find_regions(mesh, name);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

void read_materials(VolumeMesh& mesh, const std::string& path) {
  const json materials = read_json(path);
  if (!materials.is_object()) throw InputError(path + ": needs an object with one entry per region");
  for (const auto& [name, entry] : materials.items())
    for (const std::int32_t region : regions_named(name, mesh, path))
      override_material(mesh.regions[static_cast<std::size_t>(region)], entry, path);
}

/// Gives the elements without a region one of their own, which only all three material options can do.
void collect_elements_without_region(VolumeMesh& mesh, bool complete_material) {
  const auto outside = std::count_if(mesh.element_region.begin(), mesh.element_region.end(),
                                     [](std::int32_t region) { return region < 0; });
  if (outside == 0) return;
  if (!complete_material)
    throw InputError(std::to_string(outside) +
                     " elements are in no region and so have no material; give --youngs-modulus, --poissons-ratio and "
                     "--density, or put them into a region of the mesh file");
  for (std::int32_t& region : mesh.element_region)
    if (region < 0) region = static_cast<std::int32_t>(mesh.regions.size());
  mesh.regions.push_back({"no region", std::nullopt});
}

/// A file may give some of the numbers; what nobody gives is unset.
void require_complete(const Material& material, const std::string& region) {
  for (const auto& [value, name] : {std::pair{material.youngs_modulus, "Young's modulus"},
                                    {material.poissons_ratio, "Poisson's ratio"},
                                    {material.density, "density"}})
    if (std::isnan(value))
      throw InputError("region '" + region + "' has no " + name +
                       "; add it to --materials, or give it for all regions");
}

/// Those in lists of the file's vertices, by their numbers in the mesh.
std::vector<std::int32_t> listed_vertices(const Body& body, const BodyOptions& options) {
  std::vector<std::int32_t> fixed;
  for (const std::string& file : options.fix) {
    std::vector<std::int32_t> listed = read_fixed_vertices(file, body.file_vertices);
    for (std::int32_t& v : listed) v = body.numbers[static_cast<std::size_t>(v)];
    unite(fixed, listed);
  }
  return fixed;
}

/// What is fixed so far gets the new vertices between its own, as vertex sets do.
void make_body_quadratic(Body& body, const MeshOptions& options) {
  std::string name = "--fix";
  while (body.mesh.vertex_sets.contains(name)) name += '\'';
  body.mesh.vertex_sets[name] = std::move(body.fixed_vertices);
  const std::int64_t before = body.mesh.vertex_count();
  std::vector<std::string> warnings;
  body.warnings.push_back("--quadratic made " + raise_order(body.mesh, options, warnings));
  body.warnings.insert(body.warnings.end(), warnings.begin(), warnings.end());
  body.fixed_vertices = std::move(body.mesh.vertex_sets.extract(name).mapped());
  for (std::int64_t v = before; v < body.mesh.vertex_count(); ++v) body.numbers.push_back(static_cast<std::int32_t>(v));
  body.file_vertices = std::ssize(body.numbers);
}

void set_hexahedron_rule(Body& body, const std::string& name) {
  if (name != "2x2x2") return;
  bool found = false;
  for (ElementBlock& block : body.mesh.blocks) {
    if (block.type != ElementType::hex8) continue;
    block.hexahedron_rule = HexahedronRule::gauss_2x2x2;
    found = true;
  }
  if (!found) body.warnings.emplace_back("--hexahedron-rule changes nothing: the mesh has no hex8");
}

void require_strictly(const Body& body, const BodyOptions& options) {
  try {
    require_no_repairs(body.mesh);
  } catch (const InputError& error) {
    throw InputError(options.mesh + ": " + error.what() + " (without --strict, `quartic` repairs what it can)");
  }
}

/// Welds, refuses what would be repaired, takes the lists of fixed vertices and makes elements quadratic.
void prepare(Body& body, const BodyOptions& options) {
  body.file_vertices = body.mesh.vertex_count();
  body.numbers.resize(static_cast<std::size_t>(body.file_vertices));
  std::iota(body.numbers.begin(), body.numbers.end(), 0);
  if (options.preparation.welds()) {
    Welding welding = weld(body.mesh, options.preparation);
    body.warnings.push_back("--weld joined " + welding_text(welding) +
                            (welding.count > 0 ? "; vertices are renumbered" : ""));
    body.numbers = std::move(welding.numbers);
  }
  if (options.preparation.strict) require_strictly(body, options);
  body.fixed_vertices = listed_vertices(body, options);
  if (options.preparation.quadratic) make_body_quadratic(body, options.preparation);
}

}  // namespace

void set_materials(VolumeMesh& mesh, const MaterialOptions& options) {
  if (!options.materials.empty()) read_materials(mesh, options.materials);
  const bool complete = options.youngs_modulus && options.poissons_ratio && options.density;
  collect_elements_without_region(mesh, complete);
  for (Region& region : mesh.regions) {
    if (!region.material && !complete)
      throw InputError("region '" + region.name +
                       "' has no material; give --youngs-modulus, --poissons-ratio and --density, or --materials");
    Material material = region.material.value_or(Material{});
    material.youngs_modulus = options.youngs_modulus.value_or(material.youngs_modulus);
    material.poissons_ratio = options.poissons_ratio.value_or(material.poissons_ratio);
    material.density = options.density.value_or(material.density);
    material.law = options.law.value_or(material.law);
    material.mooney_share = options.mooney_share.value_or(material.mooney_share);
    require_complete(material, region.name);
    check_material(material, "region '" + region.name + "'");
    region.material = material;
  }
}

void add_material_options(CLI::App& command, MaterialOptions& options) {
  const auto material = "Material";
  command.add_option("--youngs-modulus", options.youngs_modulus, "Young's modulus of all regions [Pa]")
      ->group(material);
  command.add_option("--poissons-ratio", options.poissons_ratio, "Poisson's ratio of all regions")->group(material);
  command.add_option("--density", options.density, "Density of all regions [kg/m^3]")->group(material);
  command
      .add_option_function<std::string>(
          "--law", [&options](const std::string& name) { options.law = find_material_law(name); },
          "Material law of all regions: stvk, stable-neo-hookean, neo-hookean-polynomial, mooney-rivlin or "
          "corotational")
      ->group(material);
  command.add_option("--mooney-share", options.mooney_share, "c01 / (c10 + c01) of mooney-rivlin, in [0, 1]")
      ->group(material);
  command
      .add_option(
          "--materials", options.materials,
          "JSON file: {\"region\": {\"youngs_modulus\": ..., \"law\": ..., ...}}; of regions of one name, \"region#2\" "
          "is the second")
      ->group(material);
}

void add_body_options(CLI::App& command, BodyOptions& options) {
  command
      .add_option("MESH", options.mesh,
                  "Volume mesh in any format that quartic reads, or a triangle mesh with --voxels")
      ->required();
  add_voxel_options(command, options.voxels);
  add_voxel_mass_option(command, options.voxels);
  add_weld_option(command, options.preparation);
  add_quadratic_options(command, options.preparation);
  command.add_flag("--strict", options.preparation.strict,
                   "Refuse inverted, folded and repeated elements and unreferenced vertices instead of repairing the "
                   "mesh or warning");
  add_material_options(command, options);
  add_support_options(command, options);
  command
      .add_option("--hexahedron-rule", options.hexahedron_rule,
                  "Gauss points of each hex8: 3x3x3, or 2x2x2 as in many other programs")
      ->check(CLI::IsMember({"3x3x3", "2x2x2"}))
      ->capture_default_str();
}

std::vector<std::string> input_files(const BodyOptions& options) {
  std::vector<std::string> files = options.fix;
  files.push_back(options.mesh);
  if (!options.materials.empty()) files.push_back(options.materials);
  if (!options.preparation.curve.empty()) files.push_back(options.preparation.curve);
  return files;
}

void add_mass_option(CLI::App& command, std::string& mass) {
  command.add_option("--mass", mass, "Mass matrix: consistent or lumped")
      ->check(CLI::IsMember({"consistent", "lumped"}))
      ->capture_default_str();
}

MassMatrix parse_mass(const std::string& name) {
  return name == "lumped" ? MassMatrix::lumped : MassMatrix::consistent;
}

namespace {

// What a deck holds.
bool has_boundary(const VolumeMesh& mesh) {
  return mesh.names_ignore_case && (mesh.vertex_sets.contains("boundary") || mesh.support_sets.contains("boundary"));
}

// Where a set isn't there, the file's warnings may say why.
void apply_supports_with_reasons(Body& body, const BodyOptions& options) {
  try {
    apply_supports(body, options);
  } catch (const UsageError&) {
    throw;
  } catch (const InputError& error) {
    std::string reasons;
    for (const std::string& warning : body.mesh.warnings)
      if (warning.find("*BOUNDARY") != std::string::npos) reasons += "; " + warning;
    if (reasons.empty() || has_boundary(body.mesh)) throw;
    throw InputError(error.what() + reasons);
  }
}

}  // namespace

Body read_body(const BodyOptions& options) {
  check_support_options(options);
  Body body;
  InputMesh input = read_input_mesh(options.mesh, options.voxels);
  body.mesh = std::move(input.mesh);
  body.surface = std::move(input.surface);
  body.voxels = std::move(input.voxels);
  body.warnings = std::move(input.warnings);
  for (const std::string& note : input.notes) body.warnings.push_back("--voxels made " + note);
  prepare(body, options);
  set_hexahedron_rule(body, options.hexahedron_rule);
  set_materials(body.mesh, options);
  for (std::string& note : scale_voxel_density(body.mesh, body.voxels, options.voxels))
    body.warnings.push_back(std::move(note));
  apply_supports_with_reasons(body, options);
  body.hints = locking_hints(estimate_locking(body.mesh), "--quadratic makes them quadratic");
  if (!options.free && !fixes(options) && body.mesh.springs.empty())
    body.warnings.emplace_back(
        "no vertices are fixed: treated as a free body, whose rigid motion isn't in the model; give --free to "
        "confirm, or --fix, --fix-box, --fix-set" +
        std::string(has_boundary(body.mesh) ? "; --fix-set boundary holds what the deck holds" : ""));
  return body;
}

PreparedBody read_prepared_body(const BodyOptions& options) {
  PreparedBody body{read_body(options), {}};
  std::vector<std::int32_t> prepared(static_cast<std::size_t>(body.mesh.vertex_count()), -1);
  PreparedVertices vertices = prepare_mesh(body.mesh, body.supports(), body.warnings);
  body.fixed_vertices = std::move(vertices.fixed);
  body.constraints = std::move(vertices.constraints);
  for (std::size_t v = 0; v < vertices.kept.size(); ++v)
    prepared[static_cast<std::size_t>(vertices.kept[v])] = static_cast<std::int32_t>(v);
  for (std::int32_t& v : body.numbers) v = prepared[static_cast<std::size_t>(v)];
  body.kept_vertices.resize(vertices.kept.size());
  for (std::size_t v = body.numbers.size(); v-- > 0;)  // backwards: of welded ones the lowest stays
    if (body.numbers[v] >= 0)
      body.kept_vertices[static_cast<std::size_t>(body.numbers[v])] = static_cast<std::int32_t>(v);
  return body;
}

std::int32_t PreparedBody::vertex(std::int64_t in_file, const std::string& what) const {
  if (in_file < 0 || in_file >= file_vertices)
    throw InputError(what + ": there is no vertex " + std::to_string(in_file) + "; the mesh has vertices 0 to " +
                     std::to_string(file_vertices - 1));
  const std::int32_t number = numbers[static_cast<std::size_t>(in_file)];
  if (number < 0) throw InputError(what + ": vertex " + std::to_string(in_file) + " belongs to no element");
  return number;
}

Trajectory load_motion(const std::string& path, const ReducedModel& model, const std::string& model_path) {
  Trajectory motion = load_trajectory(path);
  if (motion.rank != model.rank())
    throw InputError(path + ": its rank is " + std::to_string(motion.rank) + ", but that of " + model_path + " is " +
                     std::to_string(model.rank()) + "; give the model that was simulated");
  return motion;
}

namespace {

ReducedModel load_any_model(const std::string& path) {
  if (std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) > 0 && !looks_like_model(path))
    throw InputError(path + ": this is no model; `quartic reduce` makes one of a mesh");
  return load_model(path);
}

}  // namespace

ReducedModel load_modal_model(const std::string& path) {
  try {
    const ReducedModel model = load_any_model(path);
    ReducedModel modal = modal_model(model);
    modal.notices = model.notices;
    return modal;
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(path)) throw;
    throw InputError(path + ": " + message);
  }
}

DrawnMotion load_drawn_motion(const std::string& motion_path, const std::string& model_path) {
  const bool is_modal = load_trajectory(motion_path).coordinates == Coordinates::linear_modes;
  DrawnMotion drawn{is_modal ? load_modal_model(model_path) : load_reduced_model(model_path), {}};
  drawn.motion = load_motion(motion_path, drawn.model, model_path);
  return drawn;
}

ReducedModel load_reduced_model(const std::string& path) {
  ReducedModel model = load_any_model(path);
  if (model.rank() == 0)
    throw InputError(path + ": holds linear modes only, nothing to simulate; make a model with `quartic reduce`");
  return model;
}

}  // namespace quartic::cli
