// What of a deck loads its body: *CLOAD, *DLOAD and *DSLOAD of the first step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/abaqus/abaqus_left_out.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// True for the keywords that `read_abaqus_loads` reads.
[[nodiscard]] bool is_abaqus_load(std::string_view keyword);

/// Takes the data lines under such a keyword.
/// @return what the step is loaded by, for messages: "*CLOAD", "centrifugal *DLOAD"
std::string read_abaqus_loads(Deck& deck, const Keyword& keyword, AbaqusModel& model);

/// Puts forces, pressures and the gravity of the whole body into the loads `loads`. Everything else is left out and
/// told, with its line.
void attach_abaqus_loads(const PlacedDeck& deck, AbaqusSets& sets, const std::vector<bool>& is_in_solid,
                         VolumeMesh& mesh, LeftOut& left_out);

}  // namespace quartic::io
