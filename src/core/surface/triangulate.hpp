// Cuts polygons into triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace quartic {

/// Cuts a simple polygon in space into corner count - 2 triangles of its own winding by clipping ears, seen along the
/// axis of its largest projection; the ear with the shortest new side comes first, so that a quadrilateral is cut along
/// its shorter diagonal. Where round-off or a polygon that crosses itself leaves no ear, the next corner is clipped.
/// O(corners^3), and as for triangles nothing to do.
/// @param corners positions
/// @return corners' places, three for each triangle
[[nodiscard]] std::vector<std::int32_t> triangulate(std::span<const std::array<double, 3>> corners);

}  // namespace quartic
