// The data lines of *NODE, *ELEMENT, *NSET and *ELSET.
#pragma once

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"

namespace quartic::io {

// Each reads the lines under `keyword` and what its parameters say, and adds them to `part`.
// @throws ParseError with the line and field of what can't be read
void read_abaqus_nodes(Deck& deck, const Keyword& keyword, AbaqusPart& part);
void read_abaqus_elements(Deck& deck, const Keyword& keyword, AbaqusPart& part);
/// Adds to `piece` what the lines of *NSET or *ELSET and its parameters say.
void read_abaqus_set(Deck& deck, const Keyword& keyword, SetPiece& piece);

}  // namespace quartic::io
