#include "cli/reports/model_report.hpp"

#include "cli/options/surface_options.hpp"
#include "cli/reports/attachments_report.hpp"
#include "cli/reports/outputs.hpp"
#include "cli/reports/report.hpp"
#include "cli/runs/memory.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/snapshots.hpp"

namespace quartic::cli {

nlohmann::json model_json(const ReducedModel& model, const Body& body, const EmbedReport& surface,
                          const std::vector<std::string>& warnings, const std::vector<std::string>& files) {
  const TensorSymmetry symmetry = model.energy.rank > 0 ? tensor_symmetry(model.energy) : TensorSymmetry();
  return {{"rank", model.rank()},
          {"rigid_modes", model.rigid_modes},
          {"mirror_planes", symmetry.parities},
          {"work_share", symmetry.work_share},
          {"vertices", model.mesh.vertex_count()},
          {"elements", element_counts(model.mesh)},
          {"fixed_vertices", model.fixed_vertices.size()},
          {"constraints", model.constraints.size()},
          {"joints", model.mesh.joints.size()},
          {"springs", model.mesh.springs.size()},
          {"point_mass", point_mass_of(model.mesh)},
          {"voxels", voxels_json(body.voxels)},
          {"surface", surface_json(model.surface, surface)},
          {"peak_memory_bytes", peak_memory_bytes()},
          {"warnings", warnings},
          {"files", files}};
}

nlohmann::json snapshot_basis_json(const SnapshotBasis& basis) {
  return {{"selected_snapshots", basis.selected},
          {"singular_values", basis.singular_values},
          {"captured_energy", captured_energy(basis.singular_values)}};
}

std::string symmetry_text(const TensorSymmetry& symmetry) {
  return std::to_string(symmetry.parities) + ": forces and stiffness take " + significant(symmetry.work_share, 2) +
         " of the multiply-adds";
}

void print_model_body(const ReducedModel& model, const EmbedReport& surface) {
  print_line("mesh", mesh_text(model.mesh) + ", " + supports_text(model));
  const TensorSymmetry symmetry = model.energy.rank > 0 ? tensor_symmetry(model.energy) : TensorSymmetry();
  if (symmetry.parities > 0) print_line("mirror planes", symmetry_text(symmetry));
  if (model.surface) print_line("surface", surface_text(*model.surface, surface));
}

void print_written(const std::vector<std::string>& files) {
  for (const std::string& file : files) print_line("written", file + ", " + bytes_text(file_bytes(file)));
}

}  // namespace quartic::cli
