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

/// The face that decks call P1, S1, ... of an element's type: its vertices in the type's table. Null if there is none.
[[nodiscard]] const std::vector<int>* numbered_face(ElementType type, std::int64_t number);

/// The same of the face that a piece of a surface names. @throws ParseError if the type has none of that name
[[nodiscard]] const std::vector<int>& face_of_piece(const PlacedDeck& deck, const SurfacePiece& piece,
                                                    ElementType type);

}  // namespace quartic::io
