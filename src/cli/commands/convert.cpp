// `quartic convert`: meshes from one format to another, models to what ParaView shows.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/body_options.hpp"
#include "cli/options/inputs.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

namespace {

struct ConvertArguments {
  std::string input, output;
  VoxelArguments voxels;
  MeshOptions preparation;
  MaterialOptions materials;
  bool binary = false, json = false;
};

void check(const ConvertArguments& arguments) {
  require_output(arguments.output, {".msh", ".vtu", ".veg"});
  if (arguments.binary && !arguments.output.ends_with(".msh"))
    throw UsageError("--binary is for .msh files; .veg files are always text, .vtu files always binary");
  std::vector<std::string> inputs = {arguments.input};
  if (!arguments.materials.materials.empty()) inputs.push_back(arguments.materials.materials);
  if (!arguments.preparation.curve.empty()) inputs.push_back(arguments.preparation.curve);
  require_distinct({arguments.output}, inputs);
}

// The library's message can't name options.
void require_materials_of_veg(const VolumeMesh& mesh, const std::string& output) {
  if (!output.ends_with(".veg")) return;
  for (const Region& region : mesh.regions)
    if (!region.material)
      throw InputError(output + ": region '" + region.name +
                       "' has no material, which a .veg file demands; give --youngs-modulus, --poissons-ratio and "
                       "--density, or --materials");
  if (std::find(mesh.element_region.begin(), mesh.element_region.end(), -1) != mesh.element_region.end())
    throw InputError(output +
                     ": some elements are in no region and so have no material, which a .veg file demands; give "
                     "--youngs-modulus, --poissons-ratio and --density");
}

/// What was converted, for both kinds of input.
struct Conversion {  // NOLINT(bugprone-exception-escape): of moving JSON, which doesn't throw
  std::string what;
  VolumeMesh mesh;
  nlohmann::json report;
  std::vector<std::pair<std::string, std::string>> lines;  // for people
  std::vector<std::string> warnings;
};

void append(std::vector<std::string>& sentences, const std::vector<std::string>& more) {
  sentences.insert(sentences.end(), more.begin(), more.end());
}

Conversion convert_mesh(const ConvertArguments& arguments) {
  InputMesh input = read_input_mesh(arguments.input, arguments.voxels);
  require_not_read({arguments.output}, input.mesh);
  Conversion conversion{
      arguments.voxels.resolution ? "triangle mesh" : "mesh", std::move(input.mesh), {{"kind", "mesh"}}, {}, {}};
  for (const std::string& note : input.notes) conversion.lines.emplace_back("voxelised", note);
  VolumeMesh& mesh = conversion.mesh;
  conversion.warnings = std::move(input.warnings);
  if (arguments.preparation.quadratic)
    conversion.lines.emplace_back("quadratic", raise_order(mesh, arguments.preparation, conversion.warnings));
  if (arguments.materials.given()) set_materials(mesh, arguments.materials);
  if (arguments.voxels.mass == "keep" && !arguments.materials.given())
    throw UsageError("--voxel-mass keep needs a density that it can scale; give material options");
  conversion.report["voxels"] = voxels_json(input.voxels);
  require_materials_of_veg(mesh, arguments.output);
  if (input.voxels) conversion.lines.emplace_back("volume", voxel_volume_text(*input.voxels));
  append(conversion.warnings, scale_voxel_density(mesh, input.voxels, arguments.voxels));
  append(conversion.warnings, write_mesh(mesh, arguments.output, {.binary = arguments.binary}));
  return conversion;
}

Conversion convert_model(const ConvertArguments& arguments) {
  if (arguments.voxels.resolution) throw UsageError("a model is no triangle mesh: --voxels can't be used");
  if (arguments.preparation.quadratic)
    throw UsageError("a model's elements are what it was computed with: --quadratic can't be used");
  if (arguments.materials.given())
    throw UsageError("a model has its materials already: material options can't change what it was computed for");
  ReducedModel model = load_model(arguments.input);
  const auto modes = std::ssize(model.eigenvalues);
  Conversion conversion{
      "model", {}, {{"kind", "model"}, {"modes", modes}, {"rank", model.rank()}}, {}, model.mesh.warnings};
  append(conversion.warnings, model.notices);
  if (arguments.output.ends_with(".vtu")) {
    write_vtu(model, arguments.output);
    conversion.lines.emplace_back("point data", counted(modes, "linear mode", "linear modes") + ", " +
                                                    counted(model.rank(), "basis field", "basis fields") +
                                                    ", fixed vertices");
  } else {
    model.mesh.vertex_sets["fixed"] = model.fixed_vertices;
    conversion.warnings.emplace_back("only the model's mesh is written; a .vtu file can hold its modes and basis too");
    append(conversion.warnings, write_mesh(model.mesh, arguments.output, {.binary = arguments.binary}));
  }
  conversion.mesh = std::move(model.mesh);
  return conversion;
}

void report(const ConvertArguments& arguments, const Conversion& conversion) {
  const VolumeMesh& mesh = conversion.mesh;
  if (arguments.json) {
    nlohmann::json json = conversion.report;
    json["vertices"] = mesh.vertex_count();
    json["elements"] = element_counts(mesh);
    json["regions"] = mesh.regions.size();
    json["vertex_sets"] = mesh.vertex_sets.size();
    json["skipped"] = mesh.skipped;
    json["warnings"] = conversion.warnings;
    json["files"] = {arguments.output};
    json["bytes"] = static_cast<std::int64_t>(file_bytes(arguments.output));
    print_json(json);
    return;
  }
  std::cout << arguments.output << ": from the " << conversion.what << ' ' << arguments.input << '\n';
  print_line("contents", mesh_text(mesh) + ", " + counted(std::ssize(mesh.vertex_sets), "vertex set", "vertex sets"));
  for (const auto& [type, count] : mesh.skipped) print_line("skipped", std::to_string(count) + ' ' + type);
  for (const auto& [label, text] : conversion.lines) print_line(label, text);
  print_line("written", written_text(arguments.output));
}

void run(const ConvertArguments& arguments) {
  check(arguments);
  const Conversion conversion = looks_like_model(arguments.input) ? convert_model(arguments) : convert_mesh(arguments);
  print_warnings(conversion.warnings);
  report(arguments, conversion);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = app.add_subcommand("convert", "Write a mesh in another format, or a model's modes for ParaView");
  command->add_option("INPUT", arguments->input, "Mesh or model (.qrt); a triangle mesh with --voxels")->required();
  command->add_option("OUTPUT", arguments->output, "Mesh: Gmsh .msh, VTK .vtu or VegaFEM .veg; of a model: .vtu")
      ->required();
  command->add_flag("--binary", arguments->binary, "Numbers of a .msh file in binary, not as text");
  add_voxel_options(*command, arguments->voxels);
  add_voxel_mass_option(*command, arguments->voxels);
  add_quadratic_options(*command, arguments->preparation);
  add_material_options(*command, arguments->materials);
  command->add_flag("--json", arguments->json, "Print one machine-readable report");
  command->footer(
      "Examples:\n  quartic convert part.msh part.vtu\n  quartic convert bunny.obj bunny.vtu --voxels 80\n  quartic "
      "convert bridge.qrt bridge_modes.vtu\n"
      "  quartic convert part.msh part.veg --youngs-modulus 1e7 --poissons-ratio 0.4 --density 1000");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace quartic::cli
