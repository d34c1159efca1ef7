#include "io/gmsh/gmsh_mesh.hpp"

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

std::int32_t GmshMesh::region_of(std::span<const std::int64_t> groups, std::int64_t cells) {
  if (groups.empty()) return -1;
  if (groups.size() > 1) in_several_groups_ += cells;
  if (last_region_ >= 0 && groups.front() == last_tag_) return last_region_;
  const auto [entry, is_new] = regions_.try_emplace(groups.front(), -1);
  if (is_new) entry->second = builder_.add_region(group_name(3, groups.front()));
  last_tag_ = groups.front();
  return last_region_ = entry->second;
}

void GmshMesh::add_cell(const GmshCell& cell, std::span<const std::int32_t> nodes,
                        std::span<const std::int64_t> groups) {
  if (cell.type) {
    std::array<std::int32_t, 20> vertices{};
    for (std::size_t n = 0; n < nodes.size(); ++n) vertices[cell.vtk_place[n]] = nodes[n];
    builder_.add_element(*cell.type, {vertices.data(), nodes.size()}, region_of(groups, 1));
    return;
  }
  builder_.skip_cell(cell.name);
  for (const std::int64_t tag : groups) builder_.add_to_set(group_name(cell.dimension, tag), nodes);
}

void GmshMesh::add_cells(ElementType type, std::vector<std::int32_t> vertices, std::span<const std::int64_t> groups) {
  const std::int64_t cells = std::ssize(vertices) / element_vertex_count(type);
  builder_.add_elements(type, std::move(vertices), region_of(groups, cells));
}

VolumeMesh GmshMesh::finish(const std::string& warning) {
  if (!warning.empty()) builder_.warn(warning);
  // Version 2 writes an element once for each of its groups. Its first time counts.
  in_several_groups_ += builder_.drop_repeats_in_other_regions();
  if (in_several_groups_ > 0)
    builder_.warn(std::to_string(in_several_groups_) +
                  (in_several_groups_ == 1 ? " element belongs" : " elements belong") +
                  " to several physical volumes; the first one gives the region");
  return builder_.finish();
}

}  // namespace quartic::io
