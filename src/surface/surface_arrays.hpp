// What everything that works on a surface demands of its arrays.
#pragma once

#include "quartic/surface.hpp"

namespace quartic {

/// @throws InputError for arrays of a wrong size, a vertex number out of range or a position that isn't finite
void require_sound_arrays(const TriangleMesh& surface);

}  // namespace quartic
