// Lines of *MPC, but those of type BEAM, as joints.
#pragma once

#include "io/abaqus/abaqus_links.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// TIE and PIN make nodes move alike, LINEAR puts one on the line between two others, LINK keeps the distance of two;
/// others are left out, as is what names nodes that nothing moves.
void join_abaqus_mpcs(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, VolumeMesh& mesh,
                      LeftOut& left_out);

}  // namespace quartic::io
