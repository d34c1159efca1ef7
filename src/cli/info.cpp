#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/mesh_info.hpp"
#include "cli/numbers.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "cli/surface_info.hpp"
#include "quartic/basis.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/model.hpp"
#include "quartic/surface.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

/// |U^T M U - I|max of the basis, or of the linear modes where there is no basis.
double orthonormality(const ReducedModel& model) {
  const Matrix& fields = model.rank() > 0 ? model.basis : model.linear_modes;
  return orthonormality_error(fields.map(), mass_matrix(model.mesh, model.mass_matrix));
}

/// Numbers that one more body takes in a batch: q, velocity, acceleration and force.
double bytes_per_body(const ReducedModel& model) {
  return 4.0 * model.rank() * static_cast<double>(sizeof(double));
}

void describe_model(const InfoOptions& options) {
  if (options.mesh.strict || options.mesh.welds() || options.voxels.resolution)
    throw InputError(options.file + ": this is a model; --strict, --weld and --voxels are for meshes");
  const ReducedModel model = load_model(options.file);
  const double error = orthonormality(model), bytes = file_bytes(options.file);
  const double energy_bytes = 8.0 * static_cast<double>(model.energy.coefficients.size());
  if (options.json_report) {
    print_json({{"kind", "model"},
                {"rank", model.rank()},
                {"modes", model.eigenvalues.size()},
                {"eigenvalues", model.eigenvalues},
                {"frequencies", frequencies(model.eigenvalues)},
                {"orthonormality", error},
                {"rigid_modes", model.rigid_modes},
                {"mass_matrix", model.mass_matrix == MassMatrix::lumped ? "lumped" : "consistent"},
                {"vertices", model.mesh.vertex_count()},
                {"elements", element_counts(model.mesh)},
                {"regions", model.mesh.regions.size()},
                {"materials", region_materials(model.mesh)},
                {"fixed_vertices", model.fixed_vertices.size()},
                {"energy_bytes", energy_bytes},
                {"bytes_per_body", static_cast<std::int64_t>(bytes_per_body(model))},
                {"created_by", model.created_by},
                {"bytes", static_cast<std::int64_t>(bytes)}});
    return;
  }
  std::cout << options.file << ": "
            << (model.rank() > 0 ? "reduced model of rank " + std::to_string(model.rank())
                                 : std::string("linear modes, no reduced model"))
            << '\n';
  print_line("mesh", mesh_text(model.mesh) + ", " + std::to_string(model.fixed_vertices.size()) + " vertices fixed");
  print_regions(model.mesh);
  print_line("linear modes", std::to_string(model.eigenvalues.size()) + ", and " +
                                 counted(model.rigid_modes, "rigid mode", "rigid modes") + " left out");
  print_line("frequencies", frequencies_text(model.eigenvalues));
  print_line("orthonormality", significant(error, 2) + " = |U^T M U - I|max, " +
                                   (model.mass_matrix == MassMatrix::lumped ? "lumped" : "consistent") + " mass");
  print_line("memory", "file " + bytes_text(bytes) + ", energy " + bytes_text(energy_bytes) + ", each body " +
                           bytes_text(bytes_per_body(model)));
  if (!model.created_by.empty()) print_line("made by", model.created_by);
}

void describe(const InfoOptions& options) {
  if (looks_like_model(options.file)) return describe_model(options);
  if (!options.voxels.resolution && looks_like_triangle_mesh(options.file)) return describe_surface(options);
  describe_mesh(options);
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Tell what is in a mesh or a model, and check it");
  command->add_option("FILE", options->file, "Volume mesh, triangle mesh or model")->required();
  add_weld_option(*command, options->mesh);
  add_voxel_options(*command, options->voxels);
  command->add_flag("--strict", options->mesh.strict, "Exit with 1 if there is any warning");
  command->add_flag("--json", options->json_report, "Print one machine-readable report");
  command->footer("Example:\n  quartic info bridge.veg");
  command->callback([options] { describe(*options); });
}

}  // namespace quartic::cli
