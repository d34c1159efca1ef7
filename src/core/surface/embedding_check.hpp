// What everything that works on an embedding demands of it.
#pragma once

#include <cstdint>

#include "quartic/surface_embedding.hpp"

namespace quartic {

/// @throws InputError for arrays of wrong sizes, vertices out of range, positions or weights that aren't finite, and
/// rows of weights that don't sum to 1
void require_sound_embedding(const SurfaceEmbedding& surface, std::int64_t volume_vertex_count);

}  // namespace quartic
