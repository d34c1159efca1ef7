// Elements by number, and those on the other side of their faces.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/elements.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// An element with its type's table.
struct ElementView {
  const ElementTable* table = nullptr;
  std::span<const std::int32_t> vertices;

  [[nodiscard]] std::size_t face_count() const { return table->faces.size(); }
  /// The corners of a face, 3 or 4.
  [[nodiscard]] std::vector<std::int32_t> face_corners(std::size_t face) const;
};

class ElementNeighbours {
 public:
  /// @param mesh of supported types, indices in range; must outlive this object. O(elements)
  explicit ElementNeighbours(const VolumeMesh& mesh);

  [[nodiscard]] const VolumeMesh& mesh() const { return *mesh_; }
  [[nodiscard]] ElementView element(std::int64_t number) const;
  /// The mean of its vertices [m].
  [[nodiscard]] std::array<double, 3> centre(std::int64_t number) const;
  /// An element other than `number` that has all these vertices; -1 if there is none.
  [[nodiscard]] std::int64_t sharing(std::span<const std::int32_t> vertices, std::int64_t number) const;

 private:
  const VolumeMesh* mesh_;
  std::vector<std::int64_t> first_;     // of each block
  std::vector<std::int64_t> start_;     // of each vertex in `elements_`
  std::vector<std::int64_t> elements_;  // that have it
};

}  // namespace quartic
