// Shells of a surface: what hangs together through edges, and what each encloses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/surface/box3.hpp"
#include "quartic/surface.hpp"

namespace quartic {

/// One side of a triangle, from the lower vertex to the higher.
struct TriangleSide {
  std::array<std::int32_t, 2> ends;
  std::int32_t triangle;
  bool reversed;  ///< the triangle runs from the higher to the lower
};

/// The sides of all triangles, those of one edge in a row. Triangles that are a line, two corners being the same
/// vertex, have none. @param triangles shape (t, 3) O(t log t)
[[nodiscard]] std::vector<TriangleSide> sides_by_edge(const std::vector<std::int32_t>& triangles);

struct Shell {
  Box3 box;
  /// Volume enclosed [m^3], negative if wound inwards; unset unless every edge has as many triangles on either side.
  std::optional<double> volume;
  /// Whether it is wound the other way than most of the volume, and its box lies in that of one that isn't. Others are
  /// bodies, however they are wound.
  bool cavity = false;
};

/// Vertices at exactly one position count as one.
struct SurfaceShells {
  std::vector<std::int32_t> triangles;  ///< with the lowest vertex at each position for a corner, shape (t, 3)
  std::vector<std::int32_t> shell_of;   ///< the shell of each triangle, shape (t)
  std::vector<Shell> shells;

  [[nodiscard]] const Shell& shell(std::size_t triangle) const {
    return shells[static_cast<std::size_t>(shell_of[triangle])];
  }
  [[nodiscard]] bool has_cavities() const;
  /// Volume of bodies minus that of cavities [m^3], so that bodies that overlap count twice; unset unless all shells
  /// enclose one.
  [[nodiscard]] std::optional<double> solid_volume() const;
};

/// @param surface with sound arrays. O(t log t)
[[nodiscard]] SurfaceShells find_shells(const TriangleMesh& surface);

}  // namespace quartic
