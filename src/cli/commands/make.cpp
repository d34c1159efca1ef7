#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/reports/output_writer.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/option_checks.hpp"
#include "quartic/procedural.hpp"

namespace quartic::cli {

namespace {

struct MakeOptions {
  std::string shape;
  std::optional<int> resolution;
  std::string element = "hex8";
  std::string output;
};

struct Shape {
  ProceduralMesh (*make)(int resolution, ElementType type);
  int resolution;  // default
};

const std::map<std::string, Shape> shapes = {{"basket", {make_basket, 40}},  {"beam", {make_beam, 40}},
                                             {"bridge", {make_bridge, 100}}, {"heart", {make_heart, 37}},
                                             {"spoon", {make_spoon, 100}},   {"tower", {make_tower, 140}}};

std::string default_resolutions() {
  std::string text;
  for (const auto& [name, shape] : shapes)
    text += (text.empty() ? " (" : ", ") + name + ": " + std::to_string(shape.resolution);
  return text + ")";
}

void run(const MakeOptions& options) {
  require_output(options.output, {".veg"});
  const std::filesystem::path fixed_path = std::filesystem::path(options.output).replace_extension(".bou");
  require_output(fixed_path, {".bou"});

  const auto& [make, default_resolution] = shapes.at(options.shape);
  const ProceduralMesh shape = make(options.resolution.value_or(default_resolution),
                                    options.element == "tet4" ? ElementType::tet4 : ElementType::hex8);
  OutputWriter writer;
  writer.write(options.output, [&] { write_veg(shape.mesh, options.output); });
  writer.write(fixed_path.string(), [&] { write_fixed_vertices(shape.fixed_vertices, fixed_path); });
  writer.require_all();

  std::cout << options.shape << ": " << mesh_text(shape.mesh) << '\n';
  print_line("mesh", options.output);
  print_line("fixed vertices", fixed_path.string() + " (" + std::to_string(shape.fixed_vertices.size()) + ")");
  print_line("next", "quartic reduce " + options.output + " --fix " + fixed_path.string() + " -o " +
                         std::filesystem::path(options.output).replace_extension(".qrt").string());
}

}  // namespace

void add_make(CLI::App& app) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App* command = app.add_subcommand("make", "Make a mesh by formula, with its fixed vertices");
  command->add_option("SHAPE", options->shape, "basket, beam, bridge, heart, spoon or tower")
      ->required()
      ->check(CLI::IsMember(shapes));
  command->add_option("--resolution", options->resolution, "Cells along the longest axis" + default_resolutions())
      ->check(positive_number());
  command->add_option("--element", options->element, "hex8, or tet4: hexahedra split into six tetrahedra each")
      ->check(CLI::IsMember({"hex8", "tet4"}))
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->output,
                   "Mesh file (.veg); fixed vertices go into a .bou file of the same name")
      ->required();
  command->footer(
      "Examples:\n  quartic make bridge --resolution 80 -o bridge.veg\n  quartic make tower --element tet4 -o "
      "tower.veg");
  command->callback([options] { run(*options); });
}

}  // namespace quartic::cli
