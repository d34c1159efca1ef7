// The data lines of *MASS, *NONSTRUCTURAL MASS, *ROTARY INERTIA and *SPRING.
#pragma once

#include <string>

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"

namespace quartic::io {

// Each reads the lines under `keyword` and what its parameters say, and adds them to `part`; what can't be read is
// left out. @throws ParseError for numbers that can't be
/// @param prefix in front of the names of element sets: of an instance, or nothing
void read_abaqus_mass(Deck& deck, const Keyword& keyword, AbaqusPart& part, const std::string& prefix, LeftOut& left);
void read_abaqus_nonstructural_mass(Deck& deck, const Keyword& keyword, AbaqusPart& part, LeftOut& left);
void read_abaqus_spring(Deck& deck, const Keyword& keyword, AbaqusPart& part, const std::string& prefix, LeftOut& left);
void read_abaqus_rotary_inertia(Deck& deck, const Keyword& keyword, AbaqusPart& part, LeftOut& left);

}  // namespace quartic::io
