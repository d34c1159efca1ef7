// VegaFEM text meshes (.veg), writing.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "io/atomic_file.hpp"
#include "io/text.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

// Everything the format can't hold is refused before a file is begun.
void require_expressible(const VolumeMesh& mesh) {
  if (mesh.blocks.size() != 1)
    throw InputError("a .veg file holds elements of one type, but the mesh has " + std::to_string(mesh.blocks.size()) +
                     " types");
  const ElementType type = mesh.blocks.front().type;
  if (type != ElementType::tet4 && type != ElementType::hex8)
    throw InputError("a .veg file can't hold elements of type " + std::string(element_type_name(type)));
  for (const double x : mesh.vertices)
    if (!std::isfinite(x)) throw InputError("the mesh has a vertex position that isn't a finite number");
  for (const auto v : mesh.blocks.front().vertices)
    if (v < 0 || v >= mesh.vertex_count())
      throw InputError("an element has vertex " + std::to_string(v) + ", but the mesh has " +
                       std::to_string(mesh.vertex_count()) + " vertices");
  if (std::ssize(mesh.element_region) != mesh.element_count())
    throw InputError("element_region must have one entry per element");
  for (const auto region : mesh.element_region)
    if (region < -1 || region >= std::ssize(mesh.regions))
      throw InputError("an element is in region " + std::to_string(region) + ", but the mesh has " +
                       std::to_string(mesh.regions.size()) + " regions");
  for (const Region& region : mesh.regions) {
    if (!region.material) throw InputError("region '" + region.name + "' has no material, which a .veg file demands");
    const auto& [youngs_modulus, poissons_ratio, density] = *region.material;
    if (!std::isfinite(youngs_modulus) || !std::isfinite(poissons_ratio) || !std::isfinite(density))
      throw InputError("region '" + region.name + "' has a material value that isn't a finite number");
  }
}

// Region names as set names: without what separates names in the format, each once. `allElements` is kept for a region
// that has every element, since to readers it means just that.
std::vector<std::string> set_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    std::string name = mesh.regions[r].name.empty() ? "region" : mesh.regions[r].name;
    for (char& c : name)
      if (c == ',' || c == '#' || c == '*' || c == ' ' || (c >= 0 && c < ' ')) c = '_';
    const bool whole = std::all_of(mesh.element_region.begin(), mesh.element_region.end(),
                                   [&](auto region) { return region == static_cast<std::int32_t>(r); });
    const bool reserved = io::equal_ignoring_case(name, "allElements") && !whole;
    std::string unique = reserved ? name + "_" + std::to_string(r) : name;
    while (!taken.insert(unique).second) unique += "_" + std::to_string(r);
    names.push_back(unique);
  }
  return names;
}

void append_elements(std::string& text, const ElementBlock& block) {
  const std::string width = std::to_string(element_vertex_count(block.type));
  text += std::string("\n*ELEMENTS\n") + (block.type == ElementType::tet4 ? "TET\n" : "CUBIC\n") +
          std::to_string(block.count()) + " " + width + " 0\n";
  for (std::int64_t e = 0; e < block.count(); ++e) {
    text += std::to_string(e + 1);
    for (const auto v : block.element(e)) text += " " + std::to_string(std::int64_t{v} + 1);
    text += '\n';
  }
}

void append_region(std::string& text, const VolumeMesh& mesh, std::size_t region, const std::string& name) {
  const Material& material = *mesh.regions[region].material;
  if (!io::equal_ignoring_case(name, "allElements")) {
    text += "\n*SET " + name + "\n";
    int column = 0;
    for (std::size_t e = 0; e < mesh.element_region.size(); ++e)
      if (mesh.element_region[e] == static_cast<std::int32_t>(region))
        text += std::to_string(e + 1) + (++column % 10 == 0 ? ",\n" : ",");
    if (column % 10 != 0) text += '\n';
  }
  text += "\n*MATERIAL " + name + "\nENU, " + io::format_number(material.density) + ", " +
          io::format_number(material.youngs_modulus) + ", " + io::format_number(material.poissons_ratio) + "\n";
  text += "\n*REGION\n" + name + ", " + name + "\n";
}

}  // namespace

void write_veg(const VolumeMesh& mesh, const std::filesystem::path& path) {
  require_expressible(mesh);
  std::string text = "# " + std::to_string(mesh.vertex_count()) + " vertices, " + std::to_string(mesh.element_count()) +
                     " elements\n\n*VERTICES\n" + std::to_string(mesh.vertex_count()) + " 3 0 0\n";
  for (std::size_t v = 0; v < mesh.vertices.size() / 3; ++v) {
    text += std::to_string(v + 1);
    for (std::size_t c = 0; c < 3; ++c) text += " " + io::format_number(mesh.vertices[3 * v + c]);
    text += '\n';
  }
  append_elements(text, mesh.blocks.front());
  const auto names = set_names(mesh);
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) append_region(text, mesh, r, names[r]);
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace quartic
