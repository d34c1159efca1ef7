#include "core/components.hpp"

#include <algorithm>
#include <numeric>

namespace quartic {

std::vector<std::vector<std::int32_t>> connected_components(const VolumeMesh& mesh) {
  const auto n = static_cast<std::size_t>(mesh.vertex_count());
  std::vector<std::int32_t> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t v) {
    while (parent[static_cast<std::size_t>(v)] != v) {
      auto& up = parent[static_cast<std::size_t>(v)];
      up = parent[static_cast<std::size_t>(up)];
      v = up;
    }
    return v;
  };
  std::vector<bool> used(n);
  for (const ElementBlock& block : mesh.blocks)
    for (std::int64_t e = 0; e < block.count(); ++e)
      for (const std::int32_t v : block.element(e)) {
        used[static_cast<std::size_t>(v)] = true;
        const std::int32_t a = root(block.element(e)[0]), b = root(v);
        parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      }
  std::vector<std::vector<std::int32_t>> components;
  std::vector<std::size_t> number(n);
  for (std::int32_t v = 0; v < std::ssize(used); ++v) {
    if (!used[static_cast<std::size_t>(v)]) continue;
    const auto r = static_cast<std::size_t>(root(v));  // a root is its component's lowest vertex, so it comes first
    if (r == static_cast<std::size_t>(v)) {
      number[r] = components.size();
      components.emplace_back();
    }
    components[number[r]].push_back(v);
  }
  return components;
}

}  // namespace quartic
