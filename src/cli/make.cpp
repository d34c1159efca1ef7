#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/option_checks.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "quartic/procedural.hpp"

namespace quartic::cli {

namespace {

struct MakeOptions {
  std::string shape;
  std::optional<int> resolution;
  std::string output;
};

ProceduralMesh make_shape(const MakeOptions& options) {
  if (options.shape == "beam") return options.resolution ? make_beam(*options.resolution) : make_beam();
  return options.resolution ? make_bridge(*options.resolution) : make_bridge();
}

void run(const MakeOptions& options) {
  require_output(options.output, {".veg"});
  const std::filesystem::path fixed_path = std::filesystem::path(options.output).replace_extension(".bou");
  require_output(fixed_path, {".bou"});

  const ProceduralMesh shape = make_shape(options);
  write_veg(shape.mesh, options.output);
  write_fixed_vertices(shape.fixed_vertices, fixed_path);

  std::cout << options.shape << ": " << mesh_text(shape.mesh) << '\n';
  print_line("mesh", options.output);
  print_line("fixed vertices", fixed_path.string() + " (" + std::to_string(shape.fixed_vertices.size()) + ")");
  print_line("next", "quartic reduce " + options.output + " --fix " + fixed_path.string() + " -o " +
                         std::filesystem::path(options.output).replace_extension(".qrt").string());
}

}  // namespace

void add_make(CLI::App& app) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App* command = app.add_subcommand("make", "Make a mesh by formula, with the vertices that hold it");
  command->add_option("SHAPE", options->shape, "beam or bridge")->required()->check(CLI::IsMember({"beam", "bridge"}));
  command->add_option("--resolution", options->resolution, "Cells along the length (beam: 40, bridge: 80)")
      ->check(positive_number());
  command->add_option("-o,--output", options->output, "Mesh file (.veg); fixed vertices go into .bou beside it")
      ->required();
  command->footer("Example:\n  quartic make bridge --resolution 80 -o bridge.veg");
  command->callback([options] { run(*options); });
}

}  // namespace quartic::cli
