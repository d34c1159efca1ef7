#include "core/procedural/brick_builder.hpp"

#include <algorithm>
#include <utility>

namespace quartic {

void BrickBuilder::add(const std::array<Place, 8>& corners) {
  for (const Place& corner : corners) bricks_.push_back(vertex(corner));
}

std::int32_t BrickBuilder::vertex(const Place& place) {
  const auto [entry, is_new] = vertices_.try_emplace(place, static_cast<std::int32_t>(vertices_.size()));
  if (is_new) {
    const auto x = position_(place);
    positions_.insert(positions_.end(), x.begin(), x.end());
  }
  return entry->second;
}

std::vector<std::int32_t> BrickBuilder::vertices_where(const std::function<bool(const Place&)>& condition) const {
  std::vector<std::int32_t> found;
  for (const auto& [place, index] : vertices_)
    if (condition(place)) found.push_back(index);
  std::sort(found.begin(), found.end());
  return found;
}

VolumeMesh BrickBuilder::finish(const std::string& region, const Material& material) {
  VolumeMesh mesh;
  mesh.vertices = std::exchange(positions_, {});
  mesh.blocks.push_back({ElementType::hex8, std::exchange(bricks_, {})});
  mesh.element_region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  mesh.regions.push_back({region, material});
  vertices_.clear();
  return mesh;
}

}  // namespace quartic
