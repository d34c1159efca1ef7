// A VolumeMesh as it grows out of a file, whatever the format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/numbering.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// Where a MeshBuilder keeps an element.
struct ElementPlace {
  ElementType type{};
  std::int64_t row = 0;
};

class MeshBuilder {
 public:
  /// A vertex with the number that the file gives it. False, without a change, if the file has had one of this number.
  bool add_vertex(std::int64_t id, const std::array<double, 3>& position);
  [[nodiscard]] std::int64_t vertex_count() const { return ids_.count(); }
  /// Index of a vertex in the mesh, or -1 if the file hasn't defined it.
  [[nodiscard]] std::int64_t find_vertex(std::int64_t id) const { return ids_.find(id); }
  /// The smallest id if ids run without gaps.
  [[nodiscard]] const Numbering& vertex_ids() const { return ids_; }

  // Room for what is announced. @param count not more than the rest of the file can hold
  void reserve_vertices(std::size_t count);
  void reserve_elements(ElementType type, std::size_t count);

  /// Index of the region of that name, which is made when it is asked for the first time.
  std::int32_t region(std::string_view name);
  /// A new region, whether there is one of that name or not: of files that number their regions.
  std::int32_t add_region(std::string_view name);
  void set_material(std::int32_t region, const Material& material);

  /// @param vertices indices in the mesh, in VTK's order
  /// @param region index, or -1
  ElementPlace add_element(ElementType type, std::span<const std::int32_t> vertices, std::int32_t region = -1) {
    Block& block = blocks_[static_cast<std::size_t>(type)];
    block.vertices.insert(block.vertices.end(), vertices.begin(), vertices.end());
    block.regions.push_back(region);
    return {type, static_cast<std::int64_t>(block.regions.size()) - 1};
  }
  /// Zeros for the vertices of that many elements.
  [[nodiscard]] static std::vector<std::int32_t> room_for_vertices(ElementType type, std::size_t count);
  /// Many of one type and region. @param vertices as `add_element` has them, element after element
  void add_elements(ElementType type, std::vector<std::int32_t> vertices, std::int32_t region);
  [[nodiscard]] std::int32_t region_of(ElementPlace place) const;
  void set_region(ElementPlace place, std::int32_t region);
  [[nodiscard]] std::int64_t element_count() const;

  /// A cell that is no volume element: counted in `skipped` by its name ("tri", "line", ...).
  void skip_cell(std::string_view name);
  /// Puts vertices into a vertex set, which is made where there is none. `finish` sorts it.
  void add_to_set(const std::string& name, std::span<const std::int32_t> vertices);
  [[nodiscard]] bool has_set(const std::string& name) const { return mesh_.vertex_sets.contains(name); }
  void warn(std::string warning);

  /// Of elements with the same vertices in different regions, keeps the first.
  /// @return how many different elements that concerned
  std::int64_t drop_repeats_in_other_regions();

  /// The finished mesh: blocks in order of type, sets sorted. The builder is empty afterwards.
  /// @throws InputError if there are more vertices than 32-bit indices can name
  [[nodiscard]] VolumeMesh finish();

 private:
  struct Block {
    std::vector<std::int32_t> vertices, regions;
  };

  VolumeMesh mesh_;
  Numbering ids_;
  std::map<std::string, std::int32_t, std::less<>> regions_;
  std::array<Block, element_type_count> blocks_;
};

}  // namespace quartic::io
