// The parts of a mesh that share no vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// Vertices of each connected component, ascending; vertices without elements are in none.
[[nodiscard]] std::vector<std::vector<std::int32_t>> connected_components(const VolumeMesh& mesh);

}  // namespace quartic
