// Elements that a mesh has more than once.
#pragma once

#include <cstdint>

#include "quartic/mesh.hpp"

namespace quartic {

/// How many elements have the same vertices, in any order, as an earlier one of their type: they would count twice.
[[nodiscard]] std::int64_t repeated_element_count(const VolumeMesh& mesh);

}  // namespace quartic
