// Masses of an Abaqus deck that a mesh can't hold: point masses, and those of features without stiffness.
#pragma once

#include <cstdint>

#include "io/abaqus/abaqus_left_out.hpp"
#include "io/abaqus/abaqus_regions.hpp"
#include "io/abaqus/abaqus_sets.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

/// Adds the masses to what is left out, with their sum beside the mesh's own mass.
/// @param mesh with its regions
/// @return how many of the deck's MASS elements they belong to
std::int64_t leave_out_masses(const PlacedDeck& deck, AbaqusSets& sets, const VolumeMesh& mesh, LeftOut& left_out);

}  // namespace quartic::io
