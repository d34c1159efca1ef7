// Elements of an Abaqus deck that are no solids but hang on their nodes: masses and springs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/abaqus/abaqus_links.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// Adds MASS and ROTARYI elements, and SPRING1, SPRING2 and SPRINGA elements, at nodes of solids and at reference nodes
/// to the mesh, and tells of what can't be: other nodes, masses of features without elements, which are told as a sum
/// beside the mesh's own.
/// @param mesh with its regions
/// @return how many elements of each type it has dealt with
std::map<std::string, std::int64_t> attach_abaqus_elements(const PlacedDeck& deck, AbaqusSets& sets, AbaqusLinks& links,
                                                           VolumeMesh& mesh, LeftOut& left_out);

}  // namespace quartic::io
