// Surfaces of an Abaqus deck as the vertices of their faces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"

namespace quartic::io {

/// The vertices of a surface, ascending, each once: of the faces S1, S2, ... of elements, of elements without a face's
/// name all, or of nodes.
/// @return nothing where it isn't of solids, or not defined outside of parts
/// @throws ParseError for a face that isn't there
[[nodiscard]] std::vector<std::int32_t> surface_vertices(const PlacedDeck& deck, AbaqusSets& sets,
                                                         const std::string& name);

}  // namespace quartic::io
