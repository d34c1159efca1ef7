// Files without a volume.
#pragma once

#include <string>

#include "quartic/mesh.hpp"

namespace quartic::io {

/// Refuses a mesh that has no volume elements, and says what it has instead. For formats that hold surfaces too.
/// @param file for the message
/// @throws ParseError
void require_elements(const VolumeMesh& mesh, const std::string& file);

}  // namespace quartic::io
