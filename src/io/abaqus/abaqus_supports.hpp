// What of a deck holds its body, or joins parts of it: *BOUNDARY, *TRANSFORM, *EQUATION, *TIE.
#pragma once

#include <vector>

#include "io/abaqus/abaqus_links.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// Puts the nodes that *BOUNDARY holds in all directions into the vertex set `boundary` and what it holds in single
/// ones, the deck's or those of *TRANSFORM, into the supports of that name; equations and ties become joints.
/// What holds or joins reference nodes does so for what moves them. Other nodes outside of solids may be held as they
/// like, they are of beams or flows; what joins them is left out.
void attach_abaqus_supports(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh,
                            LeftOut& left_out);

}  // namespace quartic::io
