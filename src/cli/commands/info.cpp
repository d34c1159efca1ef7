#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/inputs.hpp"
#include "cli/options/surface_options.hpp"
#include "cli/reports/attachments_report.hpp"
#include "cli/reports/chamber_report.hpp"
#include "cli/reports/cubature_report.hpp"
#include "cli/reports/mesh_info.hpp"
#include "cli/reports/model_report.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/participation_report.hpp"
#include "cli/reports/relaxation_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/reports/surface_info.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
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

/// Numbers that one more body takes in a batch: q, velocity, acceleration and force; where it can fly, also pose,
/// twist, its rate and wrench.
double bytes_per_body(const ReducedModel& model) {
  const bool flies = model.supports().empty() && model.rigid_modes == 6;
  return (4.0 * model.rank() + (flies ? 25 : 0)) * static_cast<double>(sizeof(double));
}

/// The surface's fit, found anew: the file doesn't hold it.
EmbedReport surface_report(const ReducedModel& model) {
  EmbedReport report;
  if (model.surface)
    static_cast<void>(quartic::embed_surface(
        model.mesh, {.vertices = model.surface->vertices, .triangles = model.surface->triangles, .warnings = {}},
        {.max_distance = std::numeric_limits<double>::infinity()}, &report));
  return report;
}

/// Of the surface's tensors in the file.
double surface_bytes(const ReducedModel& model) {
  if (!model.surface) return 0;
  const double numbers = 3.0 * static_cast<double>(model.surface->vertex_count()) * model.rank();
  const double number_bytes[] = {0, 2, 4};
  return 8.0 * static_cast<double>(model.surface->vertices.size() + model.surface->weights.size()) +
         4.0 * static_cast<double>(model.surface->triangles.size() + model.surface->volume_vertices.size()) +
         number_bytes[static_cast<std::size_t>(model.surface_basis)] * numbers;
}

std::string surface_basis_text(SurfaceBasis basis) {
  if (basis == SurfaceBasis::none) return "none";
  return basis == SurfaceBasis::half ? "half" : "single";
}

json surface_json(const ReducedModel& model) {
  json surface = cli::surface_json(model.surface, surface_report(model));
  if (!model.surface) return surface;
  surface["basis"] = surface_basis_text(model.surface_basis);
  surface["bytes"] = static_cast<std::int64_t>(surface_bytes(model));
  return surface;
}

void print_surface(const ReducedModel& model) {
  if (!model.surface) return;
  std::string text =
      surface_text(*model.surface, surface_report(model)) + ", " + bytes_text(surface_bytes(model)) + " of the file";
  if (model.surface_basis != SurfaceBasis::none)
    text += ", with its basis in " + surface_basis_text(model.surface_basis) + " precision";
  print_line("surface", text);
}

/// "12.5 kg about (0.5, 0.1, 0.1) m, principal moments of inertia 0.2, 1.1, 1.2 kg m^2".
std::string mass_text(const FrameMoments& moments) {
  const auto three = [](const std::array<double, 3>& numbers) {
    return significant(numbers[0], 4) + ", " + significant(numbers[1], 4) + ", " + significant(numbers[2], 4);
  };
  return significant(moments.mass, 4) + " kg about (" + three(moments.origin) + ") m, principal moments of inertia " +
         three(principal_inertia(moments)) + " kg m^2";
}

json describe_relaxation(const ReducedModel& model) {
  json relaxation = relaxation_json(model);
  if (model.relaxation) relaxation["natural_states"] = natural_trust_json(natural_trust(model));
  return relaxation;
}

void describe_model(const InfoOptions& options) {
  if (options.mesh.strict || options.mesh.welds() || options.voxels.resolution)
    throw InputError(options.file + ": this is a model; --strict, --weld and --voxels are for meshes");
  const ReducedModel model = load_model(options.file);
  print_warnings(model.notices);
  const FrameMoments moments = frame_moments(model);
  const Participation found = model.eigenvalues.empty() ? Participation() : participation_of(model);
  const double error = orthonormality(model), bytes = file_bytes(options.file);
  const TensorSymmetry symmetry = model.energy.rank > 0 ? tensor_symmetry(model.energy) : TensorSymmetry();
  const double energy_bytes = 8.0 * static_cast<double>(model.energy.coefficients.size());
  if (options.json_report) {
    const json participation = participation_json(found);
    print_json({{"kind", "model"},
                {"rank", model.rank()},
                {"modes", model.eigenvalues.size()},
                {"eigenvalues", model.eigenvalues},
                {"frequencies", frequencies(model.eigenvalues)},
                {"orthonormality", error},
                {"rigid_modes", model.rigid_modes},
                {"mass", moments.mass},
                {"participation_factors", participation["participation_factors"]},
                {"effective_masses", participation["effective_masses"]},
                {"mass_centre", moments.origin},
                {"principal_inertia", principal_inertia(moments)},
                {"mean_axis_error", mean_axis_error(moments)},
                {"mass_matrix", model.mass_matrix == MassMatrix::lumped ? "lumped" : "consistent"},
                {"vertices", model.mesh.vertex_count()},
                {"elements", element_counts(model.mesh)},
                {"regions", model.mesh.regions.size()},
                {"materials", region_materials(model.mesh)},
                {"fixed_vertices", model.fixed_vertices.size()},
                {"constraints", model.constraints.size()},
                {"joints", model.mesh.joints.size()},
                {"springs", model.mesh.springs.size()},
                {"point_mass", point_mass_of(model.mesh)},
                {"surface", surface_json(model)},
                {"mirror_planes", symmetry.parities},
                {"work_share", symmetry.work_share},
                {"cubature", cubature_json(model)},
                {"relaxation", describe_relaxation(model)},
                {"chambers", chambers_json(list_chambers(model))},
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
  print_line("mesh", mesh_text(model.mesh) + ", " + supports_text(model));
  print_regions(model.mesh);
  print_surface(model);
  print_line("linear modes", std::to_string(model.eigenvalues.size()) + ", and " +
                                 counted(model.rigid_modes, "rigid mode", "rigid modes") + " left out");
  print_line("frequencies", frequencies_text(model.eigenvalues));
  if (!model.eigenvalues.empty()) print_line("effective mass", participation_text(found));
  print_line("orthonormality", significant(error, 2) + " = |U^T M U - I|max, " +
                                   (model.mass_matrix == MassMatrix::lumped ? "lumped" : "consistent") + " mass");
  print_line("mass", mass_text(moments));
  if (symmetry.parities > 0) print_line("mirror planes", symmetry_text(symmetry));
  print_cubature(model);
  print_relaxation(model);
  print_chambers(list_chambers(model));
  if (model.relaxation) print_natural_trust(natural_trust(model));
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
  CLI::App* command = app.add_subcommand("info", "Describe and check a mesh or a model");
  command->add_option("FILE", options->file, "Volume mesh, triangle mesh or model")->required();
  add_weld_option(*command, options->mesh);
  add_quadratic_options(*command, options->mesh);
  add_voxel_options(*command, options->voxels);
  command->add_flag("--strict", options->mesh.strict, "Exit with 1 if there is any warning");
  command->add_flag("--json", options->json_report, "Print one machine-readable report");
  command->footer("Example:\n  quartic info bridge.veg");
  command->callback([options] { describe(*options); });
}

}  // namespace quartic::cli
