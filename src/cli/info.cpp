#include <array>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/numbers.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "quartic/basis.hpp"
#include "quartic/fem.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

struct InfoOptions {
  std::string file;
  bool json_report = false;
};

/// True for the model file's container: eight bytes of header length, then a JSON object.
bool looks_like_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 9> head{};
  return file.read(head.data(), head.size()) && head[8] == '{' && head[7] == 0;
}

json region_materials(const VolumeMesh& mesh) {
  json regions = json::array();
  for (const Region& region : mesh.regions) {
    json entry = {{"name", region.name}};
    if (region.material) {
      entry["youngs_modulus"] = region.material->youngs_modulus;
      entry["poissons_ratio"] = region.material->poissons_ratio;
      entry["density"] = region.material->density;
    }
    regions.push_back(entry);
  }
  return regions;
}

void print_regions(const VolumeMesh& mesh) {
  for (const Region& region : mesh.regions) {
    std::string text = "'" + region.name + "': ";
    if (region.material)
      text += "E " + significant(region.material->youngs_modulus) + " Pa, nu " +
              significant(region.material->poissons_ratio) + ", rho " + significant(region.material->density) +
              " kg/m^3";
    print_line("region", text + (region.material ? "" : "no material"));
  }
}

json mesh_json(const VolumeMesh& mesh, const MeshReport& report) {
  json sets = json::object();
  for (const auto& [name, vertices] : mesh.vertex_sets) sets[name] = vertices.size();
  return {{"kind", "mesh"},
          {"vertices", mesh.vertex_count()},
          {"elements", element_counts(mesh)},
          {"skipped", mesh.skipped},
          {"components", report.components},
          {"regions", mesh.regions.size()},
          {"materials", region_materials(mesh)},
          {"volume", report.volume},
          {"mass", report.mass ? json(*report.mass) : json()},
          {"bounding_box", report.bounding_box},
          {"worst_quality", report.worst_quality},
          {"inverted", report.inverted},
          {"degenerate", report.degenerate},
          {"unreferenced_vertices", report.unreferenced_vertices},
          {"fixed_sets", sets},
          {"warnings", report.warnings}};
}

void print_mesh(const std::string& path, const VolumeMesh& mesh, const MeshReport& report) {
  std::cout << path << ": mesh\n";
  print_line("contents", mesh_text(mesh));
  for (const auto& [type, count] : mesh.skipped) print_line("passed over", std::to_string(count) + ' ' + type);
  print_line("components", std::to_string(report.components));
  print_line("volume", significant(report.volume, 6) + " m^3");
  print_line("mass", report.mass ? significant(*report.mass, 6) + " kg" : "unknown: a material is missing");
  const auto& box = report.bounding_box;
  print_line("extent", significant(box[3] - box[0]) + " x " + significant(box[4] - box[1]) + " x " +
                           significant(box[5] - box[2]) + " m, from " + significant(box[0]) + ", " +
                           significant(box[1]) + ", " + significant(box[2]));
  print_line("quality", significant(report.worst_quality, 3) + " at worst (1: regular, 0: flat)");
  print_regions(mesh);
  for (const auto& [name, vertices] : mesh.vertex_sets)
    print_line("vertex set", "'" + name + "': " + std::to_string(vertices.size()) + " vertices");
}

void describe_mesh(const InfoOptions& options) {
  const VolumeMesh mesh = read_mesh(options.file);
  const MeshReport report = check_mesh(mesh);
  if (options.json_report) {
    print_json(mesh_json(mesh, report));
    return;
  }
  print_mesh(options.file, mesh, report);
  print_warnings(report.warnings);
}

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

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand("info", "Tell what is in a mesh or a model, and check it");
  command->add_option("FILE", options->file, "Mesh or model")->required();
  command->add_flag("--json", options->json_report, "Print one machine-readable report");
  command->footer("Example:\n  quartic info bridge.veg");
  command->callback(
      [options] { looks_like_model(options->file) ? describe_model(*options) : describe_mesh(*options); });
}

}  // namespace quartic::cli
