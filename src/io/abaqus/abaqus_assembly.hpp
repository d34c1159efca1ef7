// From what an Abaqus deck says to a mesh: parts in their places, sets, regions.
#pragma once

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// @param deck for the places in messages
/// @throws ParseError if the deck refers to what it doesn't define
[[nodiscard]] VolumeMesh assemble_abaqus(const Deck& deck, AbaqusModel& model);

}  // namespace quartic::io
