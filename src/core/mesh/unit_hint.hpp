// Does a mesh look as if it weren't in metres?
#pragma once

#include <string>
#include <vector>

#include "quartic/mesh.hpp"

namespace quartic {

/// One sentence per sign of units other than SI, with what to do. Indices must be in range.
[[nodiscard]] std::vector<std::string> unit_hints(const VolumeMesh& mesh);

}  // namespace quartic
