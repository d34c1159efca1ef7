// Vertices that lie at one place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// Gathers vertices at places: each vertex goes to the nearest place within `tolerance`, or founds one. They come in
/// the order of x, then y, then z, so that places don't depend on how vertices are numbered, and no vertex is farther
/// than `tolerance` from its place, however long the chain of near vertices that it belongs to. O(n log n).
/// @param positions shape (n, 3); those that aren't finite are at no other's place
/// @param tolerance [m], >= 0
/// @return for each vertex the one that founded its place; itself if it is alone
[[nodiscard]] std::vector<std::int32_t> place_founders(std::span<const double> positions, double tolerance);

/// What is at one place unless the user says otherwise [m]: 1e-9 of the diagonal of the box around all elements, and
/// never less than a few units of round-off of their coordinates. Indices must be in range; positions that aren't
/// finite are passed over.
[[nodiscard]] double weld_tolerance(const VolumeMesh& mesh);

struct CoincidentVertices {
  std::int64_t count = 0;               ///< vertices at the place of another one: sum of (vertices - 1) over all places
  std::int64_t between_components = 0;  ///< of these, what joins components: sum of (components - 1) over all places
};

/// Counts among the vertices that elements use. Indices must be in range. O(n log n)
/// @param components as from connected_components
[[nodiscard]] CoincidentVertices coincident_vertices(const VolumeMesh& mesh,
                                                     std::span<const std::vector<std::int32_t>> components,
                                                     double tolerance);

}  // namespace quartic
