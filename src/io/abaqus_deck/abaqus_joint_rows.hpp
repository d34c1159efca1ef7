// The data lines of *TRANSFORM, *EQUATION, *SURFACE and *TIE that stand outside of parts.
#pragma once

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"

namespace quartic::io {

// Each reads the lines under `keyword` and what its parameters say, and adds them to the model.
// @throws ParseError for lines that can't be read
void read_abaqus_transform(Deck& deck, const Keyword& keyword, AbaqusModel& model);
void read_abaqus_equations(Deck& deck, const Keyword& keyword, AbaqusModel& model);
/// Surfaces of other types than ELEMENT and NODE are passed over.
void read_abaqus_surface(Deck& deck, const Keyword& keyword, AbaqusModel& model);
void read_abaqus_ties(Deck& deck, const Keyword& keyword, AbaqusModel& model);

}  // namespace quartic::io
