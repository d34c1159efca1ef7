// Changes of a mesh that keep the body what it is.
#include <utility>
#include <vector>

#include "core/elements/element_geometry.hpp"
#include "core/elements/elements.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/attachments.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

std::int64_t repair_orientation(VolumeMesh& mesh) {
  require_indices(mesh);
  for (const ElementBlock& block : mesh.blocks)
    static_cast<void>(element_table(block.type));  // throws before any change
  std::int64_t repaired = 0;
  for (ElementBlock& block : mesh.blocks) {
    const ElementTable& table = element_table(block.type);
    const ElementRuler ruler(table);
    for (std::int64_t e = 0; e < block.count(); ++e) {
      if (!(ruler.signed_volume(mesh, block.element(e)) < 0)) continue;
      std::int32_t* const element = block.vertices.data() + e * table.vertex_count;
      for (const auto& [a, b] : table.mirror_swaps) std::swap(element[a], element[b]);
      ++repaired;
    }
  }
  return repaired;
}

std::vector<std::int32_t> drop_unreferenced_vertices(VolumeMesh& mesh) {
  require_indices(mesh);
  std::vector<std::int32_t> new_index(static_cast<std::size_t>(mesh.vertex_count()), -1);
  for (const ElementBlock& block : mesh.blocks)
    for (const auto v : block.vertices) new_index[static_cast<std::size_t>(v)] = 0;
  const std::vector<bool> follows = following_points(mesh);
  std::vector<std::int32_t> old_index;
  for (std::size_t v = 0; v < new_index.size(); ++v) {
    if (new_index[v] < 0 && !follows[v]) continue;
    const std::size_t to = old_index.size();
    for (std::size_t c = 0; c < 3; ++c) mesh.vertices[3 * to + c] = mesh.vertices[3 * v + c];
    new_index[v] = static_cast<std::int32_t>(to);
    old_index.push_back(static_cast<std::int32_t>(v));
  }
  mesh.vertices.resize(3 * old_index.size());
  for (ElementBlock& block : mesh.blocks)
    for (auto& v : block.vertices) v = new_index[static_cast<std::size_t>(v)];
  for (auto& [name, set] : mesh.vertex_sets) {
    for (auto& v : set) v = new_index[static_cast<std::size_t>(v)];
    std::erase(set, -1);
  }
  renumber_attachments(mesh, new_index);
  return old_index;
}

}  // namespace quartic
