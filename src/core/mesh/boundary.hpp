// The faces of a mesh that belong to one element only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// A face as its corners, wound outwards, and the middles of its edges, edge i running from corner i to the next.
struct BoundaryFace {
  std::array<std::int32_t, 4> corners = {-1, -1, -1, -1};  ///< the fourth is -1 for triangles
  std::array<std::int32_t, 4> middles = {-1, -1, -1, -1};  ///< of quadratic faces, the fourth again -1 for triangles
  std::int64_t element = -1;                               ///< that it belongs to, counted over all blocks
};

/// A face of an element, wound as the element's type has it. @param local its vertices in the element
[[nodiscard]] BoundaryFace face_of(std::span<const std::int32_t> element, const std::vector<int>& local);
/// Winds a face the other way.
void turn_round(BoundaryFace& face);

/// Boundary faces in the order of elements and of their faces. Faces match if they have all their vertices in common.
[[nodiscard]] std::vector<BoundaryFace> boundary_faces(const VolumeMesh& mesh);

/// Those whose vertices are all among these, middles included. @throws InputError for a vertex out of range, or a mesh
/// whose own indices are
[[nodiscard]] std::vector<BoundaryFace> boundary_faces_of(const VolumeMesh& mesh,
                                                          std::span<const std::int32_t> vertices);

}  // namespace quartic
