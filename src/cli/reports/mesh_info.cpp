#include "cli/reports/mesh_info.hpp"

#include <cmath>
#include <iostream>
#include <optional>

#include "cli/reports/attachments_report.hpp"
#include "cli/reports/report.hpp"
#include "cli/values/numbers.hpp"
#include "core/base/memory.hpp"
#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"

namespace quartic::cli {

namespace {

using nlohmann::json;

/// Everything there is to tell.
struct MeshFacts {
  VolumeMesh mesh;
  std::vector<std::string> notes;
  std::optional<Voxelization> voxels;
  std::optional<Welding> welding;
  std::string quadratic;  // what --quadratic did
  MeshReport report;
  FoldedElements folded;
  LockingEstimate locking;
  std::optional<ReductionEstimate> estimate;  // absent where the mesh can't be reduced
};

void measure_elements(MeshFacts& facts) {
  try {
    facts.folded = folded_elements(facts.mesh);
    facts.locking = estimate_locking(facts.mesh);
  } catch (const InputError&) {  // the report says why it can't
    return;
  }
  for (std::string& hint : locking_hints(facts.locking, "--quadratic makes them quadratic"))
    facts.report.hints.push_back(std::move(hint));
}

MeshFacts find_facts(const InfoOptions& options) {
  MeshFacts facts;
  InputMesh input = read_input_mesh(options.file, options.voxels);
  facts.mesh = std::move(input.mesh);
  facts.mesh.warnings = std::move(input.warnings);
  facts.notes = std::move(input.notes);
  facts.voxels = std::move(input.voxels);
  if (options.mesh.welds()) facts.welding = weld(facts.mesh, options.mesh);
  if (options.mesh.quadratic) facts.quadratic = raise_order(facts.mesh, options.mesh, facts.mesh.warnings);
  facts.report = check_mesh(facts.mesh);
  measure_elements(facts);
  try {
    if (facts.mesh.element_count() > 0) facts.estimate = estimate_reduction(facts.mesh, default_modes, default_rank);
  } catch (const InputError&) {  // the report says why it can't
    facts.estimate.reset();
  }
  return facts;
}

json element_number(std::int64_t element) {
  return element < 0 ? json() : json(element);
}

json estimate_json(const MeshFacts& facts) {
  if (!facts.estimate) return {};
  return {{"seconds", facts.estimate->seconds},
          {"bytes", facts.estimate->bytes},
          {"modes", default_modes},
          {"rank", default_rank}};
}

json locking_json(const LockingEstimate& locking) {
  if (locking.element < 0) return {};
  return {{"stiffness_ratio", locking.stiffness_ratio},
          {"frequency_ratio", locking.frequency_ratio},
          {"element", locking.element},
          {"thickness", locking.thickness},
          {"elements_across", locking.elements_across},
          {"poissons_ratio", locking.poissons_ratio}};
}

json mesh_json(const MeshFacts& facts) {
  const VolumeMesh& mesh = facts.mesh;
  const MeshReport& report = facts.report;
  json sets = json::object();
  for (const auto& [name, vertices] : mesh.vertex_sets) sets[name] = vertices.size();
  json supports = json::object();
  for (const auto& [name, constraints] : mesh.support_sets) supports[name] = constraints.size();
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
          {"worst_element", element_number(report.worst_element)},
          {"inverted", report.inverted},
          {"first_inverted", element_number(report.first_inverted)},
          {"degenerate", report.degenerate},
          {"first_degenerate", element_number(report.first_degenerate)},
          {"folded", facts.folded.count},
          {"first_folded", element_number(facts.folded.first)},
          {"fold_ratio", facts.folded.count > 0 ? json(facts.folded.ratio) : json()},
          {"fold_place", facts.folded.count > 0 ? json(facts.folded.place) : json()},
          {"slivers", report.slivers},
          {"repeated_elements", report.repeated_elements},
          {"unreferenced_vertices", report.unreferenced_vertices},
          {"coincident_vertices", report.coincident_vertices},
          {"coincident_between_components", report.coincident_between_components},
          {"interface_triangles", report.interface_triangles},
          {"elements_without_region", report.elements_without_region},
          {"regions_without_material", report.regions_without_material},
          {"regions_without_elements", report.regions_without_elements},
          {"fixed_sets", sets},
          {"support_sets", supports},
          {"joints", mesh.joints.size()},
          {"springs", mesh.springs.size()},
          {"point_mass", point_mass_of(mesh)},
          {"voxels", voxels_json(facts.voxels)},
          {"welded_vertices", facts.welding ? json(facts.welding->count) : json()},
          {"estimate", estimate_json(facts)},
          {"locking", locking_json(facts.locking)},
          {"hints", report.hints},
          {"warnings", report.warnings}};
}

std::string quality_text(const MeshReport& report) {
  if (report.worst_element < 0) return "unknown: no element could be measured";
  return significant(report.worst_quality, 3) + " at worst (1: regular, 0: flat), of element " +
         std::to_string(report.worst_element) + ", counted from 0";
}

/// An estimate isn't worth more.
double two_digits(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return unit * std::round(value / unit);
}

std::string estimate_text(const ReductionEstimate& estimate) {
  return "about " + seconds_text(two_digits(estimate.seconds)) + " and " + bytes_text(two_digits(estimate.bytes)) +
         " for " + std::to_string(default_modes) + " modes, rank " + std::to_string(default_rank);
}

void print_mesh(const std::string& path, const MeshFacts& facts) {
  const VolumeMesh& mesh = facts.mesh;
  const MeshReport& report = facts.report;
  std::cout << path << ": mesh\n";
  print_line("contents", mesh_text(mesh));
  for (const auto& [type, count] : mesh.skipped) print_line("skipped", std::to_string(count) + ' ' + type);
  for (const std::string& note : facts.notes) print_line("voxelised", note);
  if (facts.voxels) print_line("voxels hold", voxel_volume_text(*facts.voxels));
  if (facts.welding) print_line("welded", welding_text(*facts.welding));
  if (!facts.quadratic.empty()) print_line("quadratic", facts.quadratic);
  print_line("components", std::to_string(report.components));
  print_line("volume", significant(report.volume, 6) + " m^3");
  print_line("mass", report.mass ? significant(*report.mass, 6) + " kg" : "unknown: a material is missing");
  print_line("extent", extent_text(report.bounding_box));
  print_line("quality", quality_text(report));
  print_regions(mesh);
  for (const auto& [name, vertices] : mesh.vertex_sets)
    print_line("vertex set", "'" + name + "': " + counted(std::ssize(vertices), "vertex", "vertices"));
  for (const auto& [name, constraints] : mesh.support_sets)
    print_line("support set",
               "'" + name + "': " + counted(std::ssize(constraints), "direction held", "directions held"));
  if (const std::string attached = attachments_text(mesh); !attached.empty()) print_line("attached", attached);
  if (facts.estimate) print_line("reduction", estimate_text(*facts.estimate));
  for (const std::string& hint : report.hints) print_line("hint", hint);
  print_line("problems", report.warnings.empty() ? "none found" : std::to_string(report.warnings.size()));
}

// ", mooney-rivlin with a share of 0.3"; nothing for stvk.
std::string law_text(const Material& material) {
  if (material.law == MaterialLaw::stvk) return {};
  const std::string name(material_law_name(material.law));
  return ", " + name +
         (material.law == MaterialLaw::mooney_rivlin ? " with a share of " + significant(material.mooney_share) : "");
}

std::string list_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += "\n  " + warning;
  return text;
}

}  // namespace

std::string extent_text(const std::array<double, 6>& box) {
  return significant(box[3] - box[0]) + " x " + significant(box[4] - box[1]) + " x " + significant(box[5] - box[2]) +
         " m, from " + significant(box[0]) + ", " + significant(box[1]) + ", " + significant(box[2]);
}

json region_materials(const VolumeMesh& mesh) {
  json regions = json::array();
  for (const Region& region : mesh.regions) {
    json entry = {{"name", region.name}};
    if (region.material) {
      entry["youngs_modulus"] = region.material->youngs_modulus;
      entry["law"] = material_law_name(region.material->law);
      if (region.material->law == MaterialLaw::mooney_rivlin) entry["mooney_share"] = region.material->mooney_share;
      entry["poissons_ratio"] = region.material->poissons_ratio;
      entry["density"] = region.material->density;
    }
    regions.push_back(entry);
  }
  return regions;
}

void print_regions(const VolumeMesh& mesh) {
  const std::vector<std::string> names = distinct_region_names(mesh);
  for (std::size_t r = 0; r < names.size(); ++r) {
    const Region& region = mesh.regions[r];
    std::string text = "'" + names[r] + "': ";
    if (region.material)
      text += "E " + significant(region.material->youngs_modulus) + " Pa, nu " +
              significant(region.material->poissons_ratio) + ", rho " + significant(region.material->density) +
              " kg/m^3" + law_text(*region.material);
    print_line("region", text + (region.material ? "" : "no material"));
  }
}

void finish_report(const InfoOptions& options, const std::vector<std::string>& warnings) {
  if (options.mesh.strict && !warnings.empty())
    throw InputError(options.file + " has " + counted(std::ssize(warnings), "problem:", "problems:") +
                     list_text(warnings));
  if (!options.json_report) print_warnings(warnings);
}

void describe_mesh(const InfoOptions& options) {
  const MeshFacts facts = find_facts(options);
  if (options.json_report) {
    print_json(mesh_json(facts));
  } else {
    print_mesh(options.file, facts);
  }
  finish_report(options, facts.report.warnings);
}

}  // namespace quartic::cli
