#include "core/locking/element_neighbours.hpp"

#include <algorithm>

namespace quartic {

std::vector<std::int32_t> ElementView::face_corners(std::size_t face) const {
  const std::vector<int>& all = table->faces[face];
  std::vector<std::int32_t> corners(all.size() > 4 ? all.size() / 2 : all.size());
  for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = vertices[static_cast<std::size_t>(all[i])];
  return corners;
}

ElementNeighbours::ElementNeighbours(const VolumeMesh& mesh) : mesh_(&mesh) {
  std::int64_t number = 0;
  start_.assign(static_cast<std::size_t>(mesh.vertex_count()) + 1, 0);
  for (const ElementBlock& block : mesh.blocks) {
    first_.push_back(number);
    number += block.count();
    for (const std::int32_t v : block.vertices) ++start_[static_cast<std::size_t>(v) + 1];
  }
  for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
  elements_.resize(static_cast<std::size_t>(start_.back()));
  std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
    for (std::int64_t e = 0; e < mesh.blocks[b].count(); ++e)
      for (const std::int32_t v : mesh.blocks[b].element(e))
        elements_[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = first_[b] + e;
}

ElementView ElementNeighbours::element(std::int64_t number) const {
  const auto block =
      static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), number) - first_.begin()) - 1;
  return {&element_table(mesh_->blocks[block].type), mesh_->blocks[block].element(number - first_[block])};
}

std::array<double, 3> ElementNeighbours::centre(std::int64_t number) const {
  const ElementView view = element(number);
  std::array<double, 3> centre{};
  for (const std::int32_t v : view.vertices)
    for (std::size_t c = 0; c < 3; ++c)
      centre[c] += mesh_->vertices[3 * static_cast<std::size_t>(v) + c] / static_cast<double>(view.vertices.size());
  return centre;
}

std::int64_t ElementNeighbours::sharing(std::span<const std::int32_t> vertices, std::int64_t number) const {
  const auto first = static_cast<std::size_t>(vertices.front());
  for (auto i = start_[first]; i < start_[first + 1]; ++i) {
    const std::int64_t candidate = elements_[static_cast<std::size_t>(i)];
    if (candidate == number) continue;
    const auto own = element(candidate).vertices;
    if (std::all_of(vertices.begin(), vertices.end(),
                    [&](std::int32_t v) { return std::find(own.begin(), own.end(), v) != own.end(); }))
      return candidate;
  }
  return -1;
}

}  // namespace quartic
