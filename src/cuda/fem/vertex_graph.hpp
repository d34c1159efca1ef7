// The pattern of a mesh' matrices, found on the device.
#pragma once

#include <cstdint>

#include "core/fem/prepared_mesh.hpp"

namespace quartic::cuda {

/// Pairs of vertices that are sorted together, of the rows of more than one vertex: at most 150 MB at a time.
inline constexpr std::int64_t most_sorted_pairs = std::int64_t{1} << 22;

/// The same as mesh.graph(). It is wanted on the host, where orders of elimination are found. Synchronises.
[[nodiscard]] VertexGraph vertex_graph(const PreparedMesh& mesh, std::int64_t most_pairs = most_sorted_pairs);

}  // namespace quartic::cuda
