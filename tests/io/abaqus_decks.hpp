// Decks that several tests of the Abaqus reader start from, and what they look for in a mesh.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic::test {

// A cube of 1 m^3 and 1000 kg, on 21 lines.
inline const std::string cube_deck = R"(*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
*ELEMENT, TYPE=C3D8, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
*SOLID SECTION, ELSET=ALL, MATERIAL=GEL
*MATERIAL, NAME=GEL
*DENSITY
1000.
*ELASTIC
1e6, 0.3
*NSET, NSET=FLOOR
1, 2, 3, 4
*NSET, NSET=TOP
5, 6, 7, 8
)";

// Two tetrahedra of different materials, with most of what decks without parts have.
inline const std::string flat_deck = R"(** made by hand
*HEADING
 two tetrahedra, # is no comment here
*NODE, NSET=Nall
 10, 0., , ,
 20, 1.0D+00, 0., .0d0
 7, 0., 1., 0.

** a comment inside of a block
*Node ,nset = more
 40, 0., 0., 1.,
 1000000000000, 1., 1., 1.
*ELEMENT, TYPE=C3D4,
  ELSET=Soft
 1, 10, 20, 7, 40
*element,type = c3d4h	, elset=HARD
 5, 20,
    7, 40,
    1000000000000
*ELEMENT, TYPE=S3, ELSET=skin
 9, 10, 7, 20
*NSET, NSET=FIX
 10, 20,
 7
*NSET, NSET=range, GENERATE
 7, 20, 13
 30, 40
*NSET, NSET="both of them"
 fix, RANGE, 1000000000000
*NSET, NSET=of_hard, ELSET=hard
*ELSET, ELSET=Eall
 soft, Hard, 9
*MATERIAL, NAME=Rubber
*ELASTIC, TYPE=ISOTROPIC
 2.0E6, .45
*DENSITY
 1100.,
*Material, name="my steel"
*Density
7.8E-9
*Elastic
210000., .3
*SOLID SECTION, ELSET=SOFT, MATERIAL=RUBBER
*Solid Section, elset=hard, material=My Steel
1.,
*BOUNDARY
Fix, 1, 3
40, 1, 1
*STEP
*STATIC
*BOUNDARY
40, 2
40, 3, 3, 0.
*CLOAD
7, 1, 5.
*END STEP
*STEP
*BOUNDARY
1000000000000, 1, 3
*NGEN, NSET=none of it is read
*END STEP)";

// A tetrahedron that stands in two places, turned in the second, and a hexahedron.
inline const std::string parts_deck = R"(*Heading
*Part, name=Tet
*Node
 1, 0., 0., 0.
 2, 2., 0., 0.
 3, 0., 1., 0.
 4, 0., 0., 1.
*Element, type=C3D4
 1, 1, 2, 3, 4
*Nset, nset=Base, generate
 1, 3, 1
*Elset, elset=Set-1, internal
 1,
*Solid Section, elset=Set-1, material=M
,
*End Part
*Part, name=Spare
*Node
 1, 0., 0., 0.
*End Part
*Part, name=Box
*Node
 11, 0., 0., 0.
 12, 1., 0., 0.
 13, 1., 1., 0.
 14, 0., 1., 0.
 15, 0., 0., 1.
 16, 1., 0., 1.
 17, 1., 1., 1.
 18, 0., 1., 1.
*Element, type=C3D8R
 1, 11, 12, 13, 14, 15, 16, 17, 18
*Elset, elset=Set-1
 1
*Solid Section, elset=Set-1, material=N
*End Part
**
*Assembly, name=Assembly
*Instance, name=Tet-1, part=TET
*End Instance
*Instance, name=Tet-2, part=Tet
 10., 0., 0.
 10., 0., 0., 10., 0., 3., 90.
*Nset, nset=top
 4
*End Instance
*Instance, name=Box-1, part=Box
 0., 20., 0.
*End Instance
*Node
 1, 5., 5., 5.
*Nset, nset=reference
 1
*Nset, nset=Held, instance=Tet-1
 1, 3
*Nset, nset=Held, instance=Box-1, generate
 11, 14
*Nset, nset=Mixed
 Tet-2.base, Box-1.18, held
*Element, type=SPRINGA, elset=springs
 1, Tet-1.1, Box-1.11
*End Assembly
*Material, name=M
*Density
 1000.
*Elastic
 1e6, 0.3
*Material, name=N
*Hyperelastic, Neo Hooke
 1., 2.
*Density
 5.
*Boundary
Held, ENCASTRE
Tet-2.base, 1, 1
Tet-2.4, PINNED
*Step
*Boundary
Tet-2.base, 2, 2
Tet-2.base, 3, 3
*End Step
)";

// What further lines make elements of.
inline const std::string seven_nodes = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 1, 1, 1
6, 2, 2, 2
7, 3, 2, 2
)";

/// Reads decks, also with files beside them.
class AbaqusReading : public MeshReading {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  void expect_error(const std::string& content, const std::vector<std::string>& texts) const {
    MeshReading::expect_error<InputError>(content, texts);  // not only of this file: of included ones, too
  }
};

inline bool has_warning(const VolumeMesh& mesh, const std::vector<std::string>& texts) {
  return std::any_of(mesh.warnings.begin(), mesh.warnings.end(), [&](const std::string& warning) {
    return std::all_of(texts.begin(), texts.end(),
                       [&](const std::string& part) { return warning.find(part) != std::string::npos; });
  });
}

inline std::string joined(const std::vector<std::string>& warnings) {
  std::string text;
  for (const auto& warning : warnings) text += warning + "\n";
  return text;
}

inline std::array<double, 3> vertex(const VolumeMesh& mesh, std::size_t v) {
  return {mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]};
}

}  // namespace quartic::test
