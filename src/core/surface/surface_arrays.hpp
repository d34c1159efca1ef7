// What everything that works on a surface demands of its arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/surface.hpp"

namespace quartic {

/// @throws InputError for arrays of a wrong size, a vertex number out of range or a position that isn't finite
void require_sound_arrays(const TriangleMesh& surface);

/// For each vertex the lowest one at exactly its position. @param positions finite, shape (n, 3). O(n log n)
[[nodiscard]] std::vector<std::int32_t> lowest_at_position(std::span<const double> positions);

/// A surface's triangles with vertices at one position as one, the lowest of them.
[[nodiscard]] std::vector<std::int32_t> joined_triangles(const TriangleMesh& surface);

}  // namespace quartic
