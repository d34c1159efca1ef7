// Vertices selected by where they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "quartic/export.hpp"
#include "quartic/mesh.hpp"

namespace quartic {

/// How far outside a box vertices count as inside by default [m]: 1e-6 of the diagonal of the box around all elements,
/// which is more than digits that files leave out, and far less than an element.
/// @throws InputError for a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT double default_selection_tolerance(const VolumeMesh& mesh);

/// The vertices that a box selects, and how near to it others are.
struct BoxSelection {
  std::vector<std::int32_t> vertices;  ///< sorted
  double tolerance = 0;                ///< that was used [m]
  std::int64_t just_outside = 0;       ///< vertices left out, but nearer to the box than a tenth of their shortest edge
  double just_outside_distance = 0;    ///< the largest distance of those [m]
  std::int32_t nearest_outside = -1;   ///< the nearest of all vertices left out; -1: none was
  double nearest_outside_distance = 0;  ///< its distance from the box [m]
};

/// Selects the vertices within a distance from an axis-aligned box: {x0, y0, z0, x1, y1, z1} [m] in any corner order. A
/// box may be as flat as a plane or a point. O(elements)
/// @param tolerance that distance [m], >= 0; unset: `default_selection_tolerance`
/// @throws InputError for numbers that aren't finite, a negative tolerance, or a vertex number out of range
[[nodiscard]] QUARTIC_EXPORT BoxSelection select_in_box(const VolumeMesh& mesh, const std::array<double, 6>& box,
                                                        std::optional<double> tolerance = {});

}  // namespace quartic
