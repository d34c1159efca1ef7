#include "io/gmsh_mesh.hpp"

#include <algorithm>
#include <numeric>

namespace quartic::io {

void GmshMesh::name_group(std::int64_t dimension, std::int64_t tag, std::string name) {
  names_[{dimension, tag}] = std::move(name);
}

std::string GmshMesh::group_name(int dimension, std::int64_t tag) const {
  constexpr const char* kinds[] = {"point ", "curve ", "surface ", "volume "};
  const auto named = names_.find({dimension, tag});
  if (named != names_.end() && !named->second.empty()) return named->second;
  return kinds[dimension] + std::to_string(tag);
}

bool GmshMesh::add_node(std::int64_t id, const std::array<double, 3>& position) {
  if (!nodes_.add(id)) return false;
  mesh_.vertices.insert(mesh_.vertices.end(), position.begin(), position.end());
  return true;
}

void GmshMesh::add_cell(const GmshCell& cell, std::span<const std::int32_t> nodes,
                        std::span<const std::int64_t> groups) {
  if (cell.type) {
    add_element(cell, nodes, groups);
    return;
  }
  ++mesh_.skipped[std::string(cell.name)];
  for (const std::int64_t tag : groups) {
    auto& set = mesh_.vertex_sets[group_name(cell.dimension, tag)];
    set.insert(set.end(), nodes.begin(), nodes.end());
  }
}

void GmshMesh::add_element(const GmshCell& cell, std::span<const std::int32_t> nodes,
                           std::span<const std::int64_t> groups) {
  auto& block = elements_[*cell.type];
  const std::size_t first = block.size();
  block.resize(first + nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) block[first + cell.vtk_place[n]] = nodes[n];
  std::int32_t region = -1;
  if (!groups.empty()) {
    const auto [entry, is_new] = regions_.try_emplace(groups.front(), static_cast<std::int32_t>(mesh_.regions.size()));
    if (is_new) mesh_.regions.push_back({group_name(3, groups.front()), std::nullopt});
    region = entry->second;
    in_several_groups_ += groups.size() > 1;
  }
  element_regions_[*cell.type].push_back(region);
}

// Version 2 writes an element once for each of its groups. Its first time counts.
void GmshMesh::drop_repeated_elements() {
  if (mesh_.regions.empty()) return;
  for (auto& [type, vertices] : elements_) {
    const auto width = static_cast<std::size_t>(element_vertex_count(type));
    auto& regions = element_regions_.at(type);
    const auto less = [&, &v = vertices](std::size_t a, std::size_t b) {
      const auto begin_a = v.begin() + static_cast<std::ptrdiff_t>(a * width);
      const auto begin_b = v.begin() + static_cast<std::ptrdiff_t>(b * width);
      const auto end_a = begin_a + static_cast<std::ptrdiff_t>(width);
      return std::lexicographical_compare(begin_a, end_a, begin_b, begin_b + static_cast<std::ptrdiff_t>(width));
    };
    std::vector<std::size_t> order(regions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), less);
    std::vector<bool> repeated(order.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      bool differ = false;
      for (end = begin + 1; end < order.size() && !less(order[begin], order[end]); ++end)
        differ = differ || regions[order[end]] != regions[order[begin]];
      if (!differ) continue;  // elements that are simply there twice are the mesh's own affair
      ++in_several_groups_;
      for (std::size_t i = begin + 1; i < end; ++i) repeated[order[i]] = true;
    }
    std::size_t kept = 0;
    for (std::size_t e = 0; e < regions.size(); ++e) {
      if (repeated[e]) continue;
      std::copy_n(vertices.begin() + static_cast<std::ptrdiff_t>(e * width), width,
                  vertices.begin() + static_cast<std::ptrdiff_t>(kept * width));
      regions[kept++] = regions[e];
    }
    vertices.resize(kept * width);
    regions.resize(kept);
  }
}

VolumeMesh GmshMesh::finish() {
  drop_repeated_elements();
  if (in_several_groups_ > 0)
    mesh_.warnings.push_back(std::to_string(in_several_groups_) +
                             (in_several_groups_ == 1 ? " element belongs" : " elements belong") +
                             " to several physical volumes; the first one gives the region");
  for (auto& [type, vertices] : elements_) {
    mesh_.blocks.push_back({type, std::move(vertices)});
    const auto& regions = element_regions_.at(type);
    mesh_.element_region.insert(mesh_.element_region.end(), regions.begin(), regions.end());
  }
  for (auto& [name, set] : mesh_.vertex_sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return std::move(mesh_);
}

}  // namespace quartic::io
