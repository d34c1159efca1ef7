// Linear elements to quadratic ones.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/elements/elements.hpp"
#include "core/elements/quadrature.hpp"
#include "core/mesh/attachments.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"

namespace quartic {
namespace {

/// The vertices in the middle of edges, numbered as they are first asked for.
class EdgeMiddles {
 public:
  explicit EdgeMiddles(VolumeMesh& mesh) : mesh_(mesh) {}

  std::int32_t of(std::int32_t a, std::int32_t b) {
    const auto [low, high] = std::minmax(a, b);
    const std::uint64_t key = (static_cast<std::uint64_t>(low) << 32U) | static_cast<std::uint64_t>(high);
    const std::int64_t next = mesh_.vertex_count();
    if (next > std::numeric_limits<std::int32_t>::max())
      throw InputError("the quadratic mesh would have more vertices than an index can hold (2147483647)");
    const auto [entry, is_new] = middles_.try_emplace(key, static_cast<std::int32_t>(next));
    if (is_new) {
      for (std::size_t c = 0; c < 3; ++c)
        mesh_.vertices.push_back(0.5 * (mesh_.vertices[3 * static_cast<std::size_t>(a) + c] +
                                        mesh_.vertices[3 * static_cast<std::size_t>(b) + c]));
      ends_.push_back({low, high});
    }
    return entry->second;
  }
  /// Ends of each new vertex's edge, in the order of their numbers.
  [[nodiscard]] const std::vector<std::array<std::int32_t, 2>>& ends() const { return ends_; }

 private:
  VolumeMesh& mesh_;
  std::unordered_map<std::uint64_t, std::int32_t> middles_;
  std::vector<std::array<std::int32_t, 2>> ends_;
};

}  // namespace

VolumeMesh make_quadratic(VolumeMesh mesh) {
  require_indices(mesh);
  for (const ElementBlock& block : mesh.blocks)
    if (!quadratic_type(block.type) && block.count() > 0)
      throw InputError("only tet4, hex8 and wedge6 can be made quadratic, and the mesh has elements of type " +
                       std::string(element_type_name(block.type)));
  const std::int64_t corners = mesh.vertex_count();
  EdgeMiddles middles(mesh);
  std::vector<ElementBlock> blocks;
  for (const ElementBlock& block : mesh.blocks) {
    if (block.count() == 0) continue;
    const auto& edges = element_table(block.type).edges;
    ElementBlock& quadratic = blocks.emplace_back(ElementBlock{.type = *quadratic_type(block.type), .vertices = {}});
    for (std::int64_t e = 0; e < block.count(); ++e) {
      const auto element = block.element(e);
      quadratic.vertices.insert(quadratic.vertices.end(), element.begin(), element.end());
      for (const auto& [a, b] : edges) quadratic.vertices.push_back(middles.of(element[a], element[b]));
    }
  }
  for (auto& [name, set] : mesh.vertex_sets) {
    std::vector<bool> contains(static_cast<std::size_t>(corners));
    for (const auto v : set) contains[static_cast<std::size_t>(v)] = true;
    std::int32_t middle = static_cast<std::int32_t>(corners);
    for (const auto& [a, b] : middles.ends()) {
      if (contains[static_cast<std::size_t>(a)] && contains[static_cast<std::size_t>(b)]) set.push_back(middle);
      ++middle;
    }
  }
  extend_supports(mesh, middles.ends(), static_cast<std::int32_t>(corners));
  mesh.blocks = std::move(blocks);
  return mesh;
}

}  // namespace quartic
