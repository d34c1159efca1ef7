// How thick a body is, and how many elements lie across it: straight lines inwards from its boundary to the other side.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/locking/element_neighbours.hpp"

namespace quartic {

/// A line from the middle of a boundary face.
struct Crossing {
  std::int64_t element = -1;        ///< behind the face
  std::array<double, 3> inwards{};  ///< the face's inner normal, unit length
  std::array<double, 3> edge{};     ///< the direction of the face's shortest edge, unit length
  double area = 0;                  ///< of the face [m^2]
  double width = 0;                 ///< the face's longest edge, of a triangle by sqrt(2) less: that of its square [m]
  double thickness = 0;             ///< way through the body [m]
  /// Each element counts with the share of its own extent along the line that lies on it: two layers are two, also of
  /// hexahedra that were split into tetrahedra.
  double elements_across = 0;
  bool parallel = false;  ///< where the line leaves, the boundary is parallel to the face, within 37 degrees
};

/// Lines from at most `count` boundary faces, spread evenly over their order. Those of more than 64 elements are left
/// out. Elements count as convex, with flat faces.
[[nodiscard]] std::vector<Crossing> crossings(const ElementNeighbours& neighbours, std::int64_t count);

}  // namespace quartic
