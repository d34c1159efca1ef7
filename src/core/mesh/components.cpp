#include "core/mesh/components.hpp"

#include "core/base/disjoint_sets.hpp"

namespace quartic {

std::vector<std::vector<std::int32_t>> connected_components(const VolumeMesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.vertex_count());
  DisjointSets sets(n);
  std::vector<bool> used(n);
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (const std::int32_t v : block.element(e)) {
        used[static_cast<std::size_t>(v)] = true;
        sets.join(block.element(e)[0], v);
      }
  std::vector<std::vector<std::int32_t>> components;
  std::vector<std::size_t> number(n);
  for (std::int32_t v = 0; v < std::ssize(used); ++v) {
    if (!used[static_cast<std::size_t>(v)]) continue;
    const auto r =
        static_cast<std::size_t>(sets.root(v));  // a root is its component's lowest vertex, so it comes first
    if (r == static_cast<std::size_t>(v)) {
      number[r] = components.size();
      components.emplace_back();
    }
    components[number[r]].push_back(v);
  }
  return components;
}

}  // namespace quartic
