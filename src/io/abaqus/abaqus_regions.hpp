// Which elements of an Abaqus deck form a region, and of what material.
#pragma once

#include <string_view>
#include <vector>

#include "io/abaqus/abaqus_sets.hpp"
#include "io/abaqus_deck/abaqus_deck.hpp"
#include "io/abaqus_deck/abaqus_model.hpp"
#include "io/mesh/mesh_builder.hpp"

namespace quartic::io {

/// A deck whose elements have got their places in a mesh.
struct PlacedDeck {
  const Deck& deck;
  const AbaqusModel& model;
  const std::vector<PlacedPart>& parts;
  const std::vector<ElementPlace>& elements;  ///< of all parts; row -1 of those that aren't in the mesh
};

/// The name of a part's set in the whole mesh: "SET", or "INSTANCE.SET".
[[nodiscard]] std::string placed_name(const PlacedPart& part, std::string_view set);

/// Makes a region of each *SOLID SECTION. In a deck without any, element sets that part the elements become regions
/// without a material.
void assign_abaqus_regions(const PlacedDeck& deck, AbaqusSets& sets, MeshBuilder& builder);

}  // namespace quartic::io
