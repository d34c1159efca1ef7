// Vertices, elements and the region of each.
#include <string>

#include "io/model/model_sections.hpp"
#include "io/text/text.hpp"

namespace quartic::io {
namespace {

constexpr std::string_view tensors[] = {"vertices", "tet4",    "tet10",    "hex8",          "hex20",
                                        "wedge6",   "wedge15", "pyramid5", "element_region"};
constexpr std::string_view metadata[] = {"hexahedron_rule"};

void check(const ReducedModel& model) {
  const VolumeMesh& mesh = model.mesh;
  const auto n = mesh.vertex_count();
  const auto regions = std::ssize(mesh.regions);
  require_fit(mesh.vertices.size() % 3 == 0 && n > 0, "there are no vertices");
  require_fit(mesh.element_count() > 0, "there are no elements");
  for (std::size_t b = 1; b < mesh.blocks.size(); ++b)
    require_fit(mesh.blocks[b - 1].type < mesh.blocks[b].type, "element blocks must ascend by type, each type once");
  for (const ElementBlock& block : mesh.blocks)
    for (const auto v : block.vertices)
      require_fit(v >= 0 && v < n, "an element has vertex " + std::to_string(v) + " of " + std::to_string(n));
  require_fit(std::ssize(mesh.element_region) == mesh.element_count(),
              "element_region must have one entry per element");
  for (const auto region : mesh.element_region)
    require_fit(region >= 0 && region < regions,
                "an element is in region " + std::to_string(region) + " of " + std::to_string(regions));
}

void write(const ReducedModel& model, FileDraft& draft) {
  const VolumeMesh& mesh = model.mesh;
  draft.add("vertices", {mesh.vertex_count(), 3}, mesh.vertices);
  for (const ElementBlock& block : mesh.blocks) {
    draft.add(std::string(element_type_name(block.type)), {block.count(), element_vertex_count(block.type)},
              block.vertices);
    // Without it, readers assume three points, as older files mean.
    if (block.type == ElementType::hex8 && block.hexahedron_rule == HexahedronRule::gauss_2x2x2)
      draft.metadata["hexahedron_rule"] = "2x2x2";
  }
  draft.add("element_region", {mesh.element_count()}, mesh.element_region);
}

HexahedronRule hexahedron_rule(const SafetensorsFile& file) {
  const auto found = file.metadata().find("hexahedron_rule");
  if (found == file.metadata().end() || found->second == "3x3x3") return HexahedronRule::gauss_3x3x3;
  if (found->second != "2x2x2")
    file.fail("hexahedron_rule is " + quote(found->second) + "; it must be \"3x3x3\" or \"2x2x2\"");
  return HexahedronRule::gauss_2x2x2;
}

void read(const SafetensorsFile& file, ReducedModel& model) {
  VolumeMesh& mesh = model.mesh;
  mesh.vertices = file.values<double>("vertices", 2);
  file.require_size("vertices", 1, 3);
  for (int t = 0; t < element_type_count; ++t) {
    const auto type = static_cast<ElementType>(t);
    const std::string name(element_type_name(type));
    if (file.find(name) == nullptr) continue;
    mesh.blocks.push_back({type, file.values<std::int32_t>(name, 2)});
    if (type == ElementType::hex8) mesh.blocks.back().hexahedron_rule = hexahedron_rule(file);
    file.require_size(name, 1, element_vertex_count(type));
  }
  mesh.element_region = file.values<std::int32_t>("element_region", 1);
}

}  // namespace

const ModelSection mesh_section = {
    .name = "mesh", .tensors = tensors, .metadata = metadata, .check = check, .write = write, .read = read};

}  // namespace quartic::io
