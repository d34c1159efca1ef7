#include "io/vtk/vtk_regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/text/text.hpp"

namespace quartic::io {
namespace {

// As written without `_`, `-` and blanks. The first one that a file has counts: what people chose (materials, physical
// groups) comes before what programs number by themselves. docs/format.md has the same list.
constexpr std::string_view region_arrays[] = {
    "region",          "regionid",    "regionids",     "material",      "materialid",      "materialids", "matid",
    "attribute",       "attributes",  "gmsh:physical", "medit:ref",     "tetgen:ref",      "nastran:ref", "ugrid:ref",
    "avsucd:material", "su2:tag",     "netgen:index",  "celltags",      "subdomain",       "subdomains",  "meshdomain",
    "partid",          "cellscalars", "geometryids",   "cellentityids", "gmsh:geometrical"};
constexpr std::string_view material_arrays[] = {"youngs_modulus", "poissons_ratio", "density"};

bool is_named(std::string_view name, std::string_view plain) {
  std::size_t at = 0;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    if (at == plain.size() || !equal_ignoring_case({&c, 1}, plain.substr(at, 1))) return false;
    ++at;
  }
  return at == plain.size();
}

bool are_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) < 0x1p53 && value == std::trunc(value); });
}

const VtkArray* find_array(const std::vector<VtkArray>& arrays, std::string_view name, std::size_t count) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const VtkArray& array) {
    return array.name == name && array.values.size() == count;
  });
  return found == arrays.end() ? nullptr : &*found;
}

const VtkArray* find_numbers(const std::vector<VtkArray>& arrays, std::size_t count, MeshBuilder& builder) {
  for (const std::string_view plain : region_arrays)
    for (const VtkArray& array : arrays) {
      if (!is_named(array.name, plain) || array.values.size() != count) continue;
      if (are_whole(array.values)) return &array;
      builder.warn("cell array " + quote(array.name) + " makes no regions: it has values that are no whole numbers");
    }
  return nullptr;
}

}  // namespace

bool is_kept_cell_array(std::string_view name) {
  const auto is = [name](std::string_view plain) { return is_named(name, plain); };
  return std::any_of(std::begin(region_arrays), std::end(region_arrays), is) || name == ghost_array ||
         std::find(std::begin(material_arrays), std::end(material_arrays), name) != std::end(material_arrays);
}

void VtkRegions::add_field_data(std::string_view name) {
  constexpr std::string_view start = "region ";
  const auto colon = name.find(": ");
  if (!name.starts_with(start) || colon == std::string_view::npos) return;
  const auto number = parse_integer(name.substr(start.size(), colon - start.size()));
  if (number && *number >= 0) names_.try_emplace(*number, name.substr(colon + 2));
}

void VtkRegions::begin_piece(const std::vector<VtkArray>& arrays, std::size_t cell_count, MeshBuilder& builder) {
  numbers_ = find_numbers(arrays, cell_count, builder);
  bool all = true;
  for (std::size_t i = 0; i < std::size(material_arrays); ++i) {
    constants_[i] = find_array(arrays, material_arrays[i], cell_count);
    all = all && constants_[i] != nullptr;
  }
  if (!all) std::fill(std::begin(constants_), std::end(constants_), nullptr);
  unused_materials_ = unused_materials_ || (all && numbers_ == nullptr && cell_count > 0);
  // Regions of a quartic file keep their order, and are there without an element, too.
  if (numbers_ != nullptr && numbers_->name == "region" && !std::exchange(has_named_, true))
    for (const auto& [number, name] : names_) regions_.try_emplace(number, builder.add_region(name));
}

std::int64_t VtkRegions::number_of(std::size_t cell) const {
  return numbers_ == nullptr ? 0 : static_cast<std::int64_t>(numbers_->values[cell]);
}

std::int32_t VtkRegions::region_of(std::size_t cell, MeshBuilder& builder) {
  if (numbers_ == nullptr) return -1;
  const std::int64_t number = number_of(cell);
  if (number == -1 && numbers_->name == "region") return -1;  // as quartic writes it
  const auto [entry, is_new] = regions_.try_emplace(number, -1);
  if (is_new) entry->second = builder.add_region(std::to_string(number));
  add_material(entry->second, cell);
  return entry->second;
}

void VtkRegions::add_material(std::int32_t region, std::size_t cell) {
  RegionMaterial found;
  found.missing = constants_[0] == nullptr;
  if (!found.missing) {
    found.material = {constants_[0]->values[cell], constants_[1]->values[cell], constants_[2]->values[cell]};
    found.missing = !std::isfinite(found.material.youngs_modulus) || !std::isfinite(found.material.poissons_ratio) ||
                    !std::isfinite(found.material.density);
  }
  const auto [entry, is_new] = materials_.try_emplace(region, found);
  if (is_new) return;
  RegionMaterial& known = entry->second;
  known.missing = known.missing || found.missing;
  known.differs = known.differs || known.material.youngs_modulus != found.material.youngs_modulus ||
                  known.material.poissons_ratio != found.material.poissons_ratio ||
                  known.material.density != found.material.density;
}

void VtkRegions::finish(MeshBuilder& builder) const {
  std::int64_t differ = 0;
  for (const auto& [region, found] : materials_) {
    if (found.missing) continue;
    if (found.differs) {
      ++differ;
    } else {
      builder.set_material(region, found.material);
    }
  }
  if (differ > 0)
    builder.warn("the material differs within " + std::to_string(differ) + (differ == 1 ? " region" : " regions") +
                 ", without a material therefore; a region has one material");
  if (unused_materials_)
    builder.warn(
        "the cells have materials but no regions (a cell array 'region' of whole numbers): materials are not read");
}

}  // namespace quartic::io
