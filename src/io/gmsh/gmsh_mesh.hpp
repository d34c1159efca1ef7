// A VolumeMesh as it grows out of a Gmsh file, whatever the file's version: nodes, cells, physical groups.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/gmsh/gmsh_cells.hpp"
#include "io/mesh/mesh_builder.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

class GmshMesh {
 public:
  /// A physical group's name; groups without one go by "volume 3", "surface 2", "curve 1", "point 7".
  void name_group(std::int64_t dimension, std::int64_t tag, std::string name);

  /// False if the file has had a node of this number.
  bool add_node(std::int64_t id, const std::array<double, 3>& position) { return builder_.add_vertex(id, position); }
  [[nodiscard]] std::int64_t node_count() const { return builder_.vertex_count(); }
  /// Place of a node in the mesh, or -1.
  [[nodiscard]] std::int64_t find_node(std::int64_t id) const { return builder_.find_vertex(id); }

  // Room for what is announced, as MeshBuilder has it.
  void reserve_nodes(std::size_t count) { builder_.reserve_vertices(count); }
  void reserve_cells(const GmshCell& cell, std::size_t count) {
    if (cell.type) builder_.reserve_elements(*cell.type, count);
  }

  /// A cell with the physical groups that it belongs to. Volume cells become elements of a region per group; nodes of
  /// others join the group's vertex set. A volume cell that comes again, for another group, stays what it was.
  /// @param nodes places of the cell's nodes, in Gmsh's order
  /// @param groups tags of groups of the cell's dimension
  void add_cell(const GmshCell& cell, std::span<const std::int32_t> nodes, std::span<const std::int64_t> groups);

  /// The same for many volume cells of one type and the same groups.
  /// @param vertices places of the cells' nodes, in VTK's order
  void add_cells(ElementType type, std::vector<std::int32_t> vertices, std::span<const std::int64_t> groups);

  /// The finished mesh: blocks in order of type, sets sorted.
  /// @param warning about the file, or empty
  [[nodiscard]] VolumeMesh finish(const std::string& warning);

 private:
  [[nodiscard]] std::string group_name(int dimension, std::int64_t tag) const;
  /// @param cells how many are in these groups
  [[nodiscard]] std::int32_t region_of(std::span<const std::int64_t> groups, std::int64_t cells);

  MeshBuilder builder_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names_;  // by dimension and tag
  std::map<std::int64_t, std::int32_t> regions_;                        // by tag
  std::int64_t last_tag_ = 0;  // most elements are in the same group as the one before
  std::int32_t last_region_ = -1;
  std::int64_t in_several_groups_ = 0;
};

}  // namespace quartic::io
