// VegaFEM text meshes (.veg), writing.
#include <algorithm>
#include <set>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/mesh/lost_laws.hpp"
#include "io/mesh/writable_mesh.hpp"
#include "io/text/text.hpp"
#include "io/vega/vega_formats.hpp"
#include "io/vega/vega_materials.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

// Everything the format can't hold is refused before a file is begun.
void require_expressible(const VolumeMesh& mesh, const VegOptions& options) {
  io::require_writable(mesh);
  if (mesh.blocks.size() != 1 && !options.several_types)
    throw InputError("a .veg file holds elements of one type, but the mesh has " + std::to_string(mesh.blocks.size()) +
                     " types");
  for (const ElementBlock& block : mesh.blocks)
    if (block.type != ElementType::tet4 && block.type != ElementType::hex8)
      throw InputError("a .veg file can't hold elements of type " + std::string(element_type_name(block.type)) +
                       "; .msh and .vtu can");
  for (const Region& region : mesh.regions)
    if (!region.material) throw InputError("region '" + region.name + "' has no material, which a .veg file demands");
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
    const bool reserved = equal_ignoring_case(name, "allElements") && !whole;
    std::string unique = reserved ? name + "_" + std::to_string(r) : name;
    while (!taken.insert(unique).second) unique += "_" + std::to_string(r);
    names.push_back(unique);
  }
  return names;
}

// @param first number of the block's first element: numbers go on through all blocks, as sets count
void append_elements(std::string& text, const ElementBlock& block, std::int64_t first) {
  const std::string width = std::to_string(element_vertex_count(block.type));
  text += std::string("\n*ELEMENTS\n") + (block.type == ElementType::tet4 ? "TET\n" : "CUBIC\n") +
          std::to_string(block.count()) + " " + width + " 0\n";
  for (std::int64_t e = 0; e < block.count(); ++e) {
    text += std::to_string(first + e);
    for (const auto v : block.element(e)) text += " " + std::to_string(std::int64_t{v} + 1);
    text += '\n';
  }
}

// "MOONEYRIVLIN, 1000, ..." for that law, "ENU, 1000, ..." for others.
std::string material_line(const Material& material) {
  if (material.law != MaterialLaw::mooney_rivlin)
    return "ENU, " + io::format_number(material.density) + ", " + io::format_number(material.youngs_modulus) + ", " +
           io::format_number(material.poissons_ratio);
  std::string line = "MOONEYRIVLIN";
  for (const double number : io::vega_mooney_rivlin_numbers(material)) line += ", " + io::format_number(number);
  return line;
}

void append_region(std::string& text, const VolumeMesh& mesh, std::size_t region, const std::string& name) {
  const Material& material = *mesh.regions[region].material;
  if (!equal_ignoring_case(name, "allElements")) {
    text += "\n*SET " + name + "\n";
    int column = 0;
    for (std::size_t e = 0; e < mesh.element_region.size(); ++e)
      if (mesh.element_region[e] == static_cast<std::int32_t>(region))
        text += std::to_string(e + 1) + (++column % 10 == 0 ? ",\n" : ",");
    if (column % 10 != 0) text += '\n';
  }
  text += "\n*MATERIAL " + name + "\n" + material_line(material) + "\n";
  text += "\n*REGION\n" + name + ", " + name + "\n";
}

void write(const VolumeMesh& mesh, const std::filesystem::path& path, const MeshFileOptions& options) {
  if (options.binary) throw InputError("'" + path.string() + "': a .veg file is always text; .msh can be binary");
  write_veg(mesh, path, {.several_types = true});
}

std::vector<std::string> losses(const VolumeMesh& mesh) {
  std::vector<std::string> sentences = io::lost_laws(mesh, ".veg", {MaterialLaw::stvk, MaterialLaw::mooney_rivlin});
  if (mesh.blocks.size() > 1)
    sentences.emplace_back("the .veg file holds tet4 and hex8 in a section each, which VegaFEM itself doesn't read");
  if (!mesh.vertex_sets.empty())
    sentences.push_back("a .veg file can't hold vertex sets: " + std::to_string(mesh.vertex_sets.size()) +
                        " left out; write_fixed_vertices keeps one in a file of its own");
  const auto outside = std::count(mesh.element_region.begin(), mesh.element_region.end(), -1);
  if (outside > 0)
    sentences.push_back(std::to_string(outside) + (outside == 1 ? " element is" : " elements are") +
                        " in no region and so have no material in the .veg file");
  const auto names = set_names(mesh);
  for (std::size_t r = 0; r < names.size(); ++r)
    if (names[r] != mesh.regions[r].name)
      sentences.push_back("region " + io::quote(mesh.regions[r].name) + " is called " + io::quote(names[r]) +
                          " in the .veg file");
  return sentences;
}

}  // namespace

void write_veg(const VolumeMesh& mesh, const std::filesystem::path& path, const VegOptions& options) {
  require_expressible(mesh, options);
  std::string text = "# " + std::to_string(mesh.vertex_count()) + " vertices, " + std::to_string(mesh.element_count()) +
                     " elements\n\n*VERTICES\n" + std::to_string(mesh.vertex_count()) + " 3 0 0\n";
  for (std::size_t v = 0; v < mesh.vertices.size() / 3; ++v) {
    text += std::to_string(v + 1);
    for (std::size_t c = 0; c < 3; ++c) text += " " + io::format_number(mesh.vertices[3 * v + c]);
    text += '\n';
  }
  std::int64_t first = 1;
  for (const ElementBlock& block : mesh.blocks) {
    append_elements(text, block, first);
    first += block.count();
  }
  const auto names = set_names(mesh);
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) append_region(text, mesh, r, names[r]);
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

namespace io {
const MeshWriter veg_writer = {".veg", write, losses};
}  // namespace io

}  // namespace quartic
