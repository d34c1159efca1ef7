// What a mesh must be before a file of it is begun.
#pragma once

#include "quartic/mesh.hpp"

namespace quartic::io {

/// @throws InputError for a mesh without vertices or elements, a position or material value that isn't a finite number,
/// an index out of range, or arrays whose sizes don't fit together
void require_writable(const VolumeMesh& mesh);

}  // namespace quartic::io
