// Materials and names of the regions.
#include <algorithm>
#include <string>
#include <vector>

#include "io/model/model_sections.hpp"
#include "io/tensors/name_list.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"region_material", "region_law", "region_mooney_share"};
constexpr std::string_view metadata[] = {"region_names"};

void check(const ReducedModel& model) {
  for (const Region& region : model.mesh.regions) {
    require_fit(region.material.has_value(), "region '" + region.name + "' has no material");
    check_material(*region.material, "region '" + region.name + "'");
  }
}

// Only where a region has another law than StVK.
void write_laws(const ReducedModel& model, FileDraft& draft) {
  std::vector<std::int32_t> laws;
  std::vector<double> shares;
  for (const Region& region : model.mesh.regions) {
    laws.push_back(static_cast<std::int32_t>(region.material->law));
    shares.push_back(region.material->mooney_share);
  }
  if (std::ranges::all_of(laws, [](std::int32_t law) { return law == static_cast<std::int32_t>(MaterialLaw::stvk); }))
    return;
  const std::int64_t regions = std::ssize(laws);
  draft.add_computed("region_law", {regions}, std::move(laws));
  draft.add_computed("region_mooney_share", {regions}, std::move(shares));
}

void write(const ReducedModel& model, FileDraft& draft) {
  std::vector<double> values;
  std::vector<std::string> names;
  for (const Region& region : model.mesh.regions) {
    values.insert(values.end(),
                  {region.material->youngs_modulus, region.material->poissons_ratio, region.material->density});
    names.push_back(region.name);
  }
  draft.add_computed("region_material", {std::ssize(model.mesh.regions), 3}, std::move(values));
  write_laws(model, draft);
  draft.metadata["region_names"] = name_list_text(names);
}

// Names are for people; a file without usable ones gets "region 0", "region 1", ...
std::vector<std::string> region_names(const SafetensorsFile& file, std::size_t count) {
  if (const auto found = file.metadata().find("region_names"); found != file.metadata().end()) {
    auto names = parse_name_list(found->second);
    if (names && names->size() == count) return std::move(*names);
  }
  std::vector<std::string> names;
  for (std::size_t g = 0; g < count; ++g) names.push_back("region " + std::to_string(g));
  return names;
}

void read_laws(const SafetensorsFile& file, ReducedModel& model) {
  if (file.find("region_law") == nullptr) return;
  const auto laws = file.values<std::int32_t>("region_law", 1);
  const auto shares = file.values<double>("region_mooney_share", 1);
  file.require_size("region_law", 0, std::ssize(model.mesh.regions));
  file.require_size("region_mooney_share", 0, std::ssize(model.mesh.regions));
  for (std::size_t g = 0; g < laws.size(); ++g) {
    if (laws[g] < 0 || laws[g] >= material_law_count)
      file.fail("region " + std::to_string(g) + " has the material law " + std::to_string(laws[g]) +
                ", which this version doesn't know");
    model.mesh.regions[g].material->law = static_cast<MaterialLaw>(laws[g]);
    model.mesh.regions[g].material->mooney_share = shares[g];
  }
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  const auto materials = file.values<double>("region_material", 2);
  file.require_size("region_material", 1, 3);
  const auto names = region_names(file, materials.size() / 3);
  for (std::size_t g = 0; g < names.size(); ++g)
    model.mesh.regions.push_back({names[g], Material{.youngs_modulus = materials[3 * g],
                                                     .poissons_ratio = materials[3 * g + 1],
                                                     .density = materials[3 * g + 2]}});
  read_laws(file, model);
}

}  // namespace

const ModelSection material_section = {
    .name = "material", .tensors = tensors, .metadata = metadata, .check = check, .write = write, .read = read};

}  // namespace quartic::io
