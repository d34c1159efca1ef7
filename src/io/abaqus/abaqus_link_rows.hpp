// Keywords that link nodes to a reference node: *COUPLING, *KINEMATIC COUPLING, *RIGID BODY, *MPC.
#pragma once

#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"

namespace quartic::io {

// Each reads the lines under `keyword` and what its parameters say, and adds them to the model. What can't be done is
// noted there. @throws ParseError for lines that can't be read
void read_abaqus_coupling(const Deck& deck, const Keyword& keyword, AbaqusModel& model);
/// A *KINEMATIC or *DISTRIBUTING that belongs to the last link.
void read_abaqus_coupling_kind(Deck& deck, const Keyword& keyword, AbaqusLink& link);
void read_abaqus_kinematic_coupling(Deck& deck, const Keyword& keyword, AbaqusModel& model);
void read_abaqus_rigid_body(const Deck& deck, const Keyword& keyword, AbaqusModel& model);
void read_abaqus_mpcs(Deck& deck, const Keyword& keyword, AbaqusModel& model);

}  // namespace quartic::io
