// Input decks of Abaqus and CalculiX, for the list of read_mesh.cpp.
#pragma once

#include <string>

#include "io/text/mesh_format.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"

namespace quartic::io {

extern const MeshFormat abaqus_format;

/// A deck's mesh and what loads it.
struct AbaqusLoads {
  VolumeMesh mesh;
  Loads loads;
  std::string warning;  ///< what of its loads is left out; empty: nothing
};
/// @throws ParseError also for a file of another format
[[nodiscard]] AbaqusLoads read_abaqus_load_file(const MeshFile& file);

}  // namespace quartic::io
