// What of a deck loads its body: *CLOAD, *DLOAD and *DSLOAD of the first step, and how warm that makes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/abaqus/abaqus_links.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_left_out.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// True for the keywords that `read_abaqus_loads` reads.
[[nodiscard]] bool is_abaqus_load(std::string_view keyword);

/// Takes the data lines under such a keyword.
/// @return what the step is loaded by, for messages: "*CLOAD", "centrifugal *DLOAD"
std::string read_abaqus_loads(Deck& deck, const Keyword& keyword, AbaqusModel& model);

/// Notes a load or temperature of a later step as left out. Other keywords aren't noted.
void leave_out_load(const Keyword& keyword, AbaqusModel& model);

/// Puts forces, pressures, the gravity of the whole body and its heat into the model's attached loads. Everything else
/// is noted as left out, with its line.
/// @param links of the reference nodes that forces and moments act on
void attach_abaqus_loads(const PlacedDeck& deck, AbaqusSets& sets, const AbaqusLinks& links, const VolumeMesh& mesh,
                         AbaqusModel& model);

}  // namespace quartic::io
