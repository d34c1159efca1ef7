// Materials and names of the regions.
#include <string>
#include <vector>

#include "io/model/model_sections.hpp"
#include "io/tensors/name_list.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"region_material"};
constexpr std::string_view metadata[] = {"region_names"};

void check(const ReducedModel& model) {
  for (const Region& region : model.mesh.regions) {
    require_fit(region.material.has_value(), "region '" + region.name + "' has no material");
    check_material(*region.material, "region '" + region.name + "'");
  }
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

void read(const SafetensorsFile& file, ReducedModel& model) {
  const auto materials = file.values<double>("region_material", 2);
  file.require_size("region_material", 1, 3);
  const auto names = region_names(file, materials.size() / 3);
  for (std::size_t g = 0; g < names.size(); ++g)
    model.mesh.regions.push_back({names[g], Material{.youngs_modulus = materials[3 * g],
                                                     .poissons_ratio = materials[3 * g + 1],
                                                     .density = materials[3 * g + 2]}});
}

}  // namespace

const ModelSection material_section = {
    .name = "material", .tensors = tensors, .metadata = metadata, .check = check, .write = write, .read = read};

}  // namespace quartic::io
