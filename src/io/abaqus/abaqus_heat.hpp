// What of a deck warms its body: *EXPANSION, *INITIAL CONDITIONS of temperatures, and *TEMPERATURE of the first step.
#pragma once

#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// True for *TEMPERATURE, and for *INITIAL CONDITIONS of this type.
[[nodiscard]] bool is_abaqus_temperature(const Keyword& keyword);

/// Takes the data lines under such a keyword.
void read_abaqus_temperatures(Deck& deck, const Keyword& keyword, AbaqusModel& model);

/// Takes the coefficient below *EXPANSION, the same in all directions; others are left out of the loads.
void read_abaqus_expansion(Deck& deck, const Keyword& keyword, AbaqusMaterial& material, AbaqusModel& model);

/// Puts into the model's attached loads how much warmer nodes are in the first step than at the start, in the mesh's
/// regions with their materials' expansion. Nodes without a temperature are as warm as at the start, which is 0 where
/// the deck doesn't say.
void attach_abaqus_heat(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh, AbaqusModel& model);

}  // namespace quartic::io
