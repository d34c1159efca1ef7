// Element types of Abaqus decks, and which elements form a region of what material.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::has_warning;
using test::joined;
using test::replaced;
using test::seven_nodes;
using test::vertex;

class AbaqusElements : public test::AbaqusReading {};

// ---- element types --------------------------------------------------------------------------------------------------

struct TypeCase {
  const char* names;
  ElementType type;
};

TEST_F(AbaqusElements, TypesOfSolidsAreKnownByTheirNames) {
  const std::vector<TypeCase> cases = {
      {"C3D4 C3D4H C3D4T DC3D4 AC3D4 C3D4P Q3D4", ElementType::tet4},
      {"C3D10 C3D10M C3D10H C3D10HS C3D10MH C3D10MT DC3D10 AC3D10", ElementType::tet10},
      {"C3D8 C3D8R C3D8I C3D8H C3D8RH C3D8IH C3D8T C3D8RT C3D8P DC3D8 AC3D8R DCC3D8", ElementType::hex8},
      {"C3D20 C3D20R C3D20H C3D20RH C3D20RHT DC3D20 AC3D20", ElementType::hex20},
      {"C3D6 C3D6H DC3D6 AC3D6", ElementType::wedge6},
      {"C3D15 C3D15H DC3D15 AC3D15", ElementType::wedge15},
      {"C3D5 C3D5H AC3D5", ElementType::pyramid5}};
  std::ostringstream nodes;
  nodes << "*NODE\n";
  for (int n = 1; n <= 20; ++n) nodes << n << ", " << n << ", " << n * n << ", " << n * n * n << "\n";
  for (const TypeCase& c : cases) {
    const int width = element_vertex_count(c.type);
    std::istringstream names(c.names);
    for (std::string name; names >> name;) {
      SCOPED_TRACE(name);
      std::ostringstream deck;
      deck << nodes.str() << "*ELEMENT, TYPE=" << name << "\n1";
      for (int n = 1; n <= width; ++n) deck << (n % 9 == 0 ? ",\n  " : ", ") << n;
      const VolumeMesh mesh = read(deck.str());
      ASSERT_EQ(mesh.blocks.size(), 1U);
      EXPECT_EQ(mesh.blocks[0].type, c.type);
      ASSERT_EQ(std::ssize(mesh.blocks[0].vertices), width);
      for (int n = 0; n < width; ++n) EXPECT_EQ(mesh.blocks[0].vertices[static_cast<std::size_t>(n)], n);
      const std::string letters = name.substr(name.find_last_of("0123456789") + 1);
      const bool is_mechanical = name[0] == 'C' || name[0] == 'Q';
      EXPECT_EQ(has_warning(mesh, {"fully integrated"}),
                is_mechanical && letters.find_first_of("RIHM") != std::string::npos);
      EXPECT_EQ(has_warning(mesh, {"taken as solids"}), !is_mechanical);
    }
  }
  for (const char* name : {"C3D27", "C3D15V", "C3D13", "C3D8X", "DC3D27", "SC8R", "CSS8", "ACIN3D4"})
    expect_error(nodes.str() + "*ELEMENT, TYPE=" + name + "\n1, 1, 2, 3\n", {"m.txt:22", name, "can't be read"});
  for (const char* name : {"S4", "S3R", "B31", "T3D2", "M3D4", "SPRINGA", "MASS", "R3D4", "COH3D8", "CPS4", "CPE3",
                           "CAX4R", "CIN3D8", "SFM3D4", "U1", "CONN3D2", "PC3D", "DC2D4", "GK3D8"}) {
    const std::string tetrahedron = "*ELEMENT, TYPE=C3D4\n7, 1, 2, 3, 4\n";
    const VolumeMesh mesh = read(nodes.str() + tetrahedron + "*ELEMENT, TYPE=" + name + "\n1, 1, 2, 3,\n2, 1\n");
    EXPECT_EQ(mesh.element_count(), 1);
    EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{name, 2}}));
    EXPECT_TRUE(has_warning(mesh, {std::string("line 25, *ELEMENT of 2 ") + name + ": "})) << joined(mesh.warnings);
    expect_error(nodes.str() + "*ELEMENT, TYPE=" + name + "\n1, 1, 2, 3\n",
                 {"no volume elements", std::string("1 ") + name, "volume mesh"});
  }
}

// Volumes by an independent formula: the middle nodes are where the deck's order has them, or the volume is another.
TEST_F(AbaqusElements, MiddleNodesStandOnTheirEdges) {
  struct Case {
    const char* name;
    std::vector<std::array<double, 3>> corners;
    std::vector<std::array<int, 2>> edges;  // Abaqus's figures, counted from 1
    double volume;
  };
  const std::vector<Case> cases = {
      {"C3D10", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}}, 1. / 6},
      {"C3D20R",
       {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
       {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {5, 6}, {6, 7}, {7, 8}, {8, 5}, {1, 5}, {2, 6}, {3, 7}, {4, 8}},
       1},
      {"C3D15",
       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
       {{1, 2}, {2, 3}, {3, 1}, {4, 5}, {5, 6}, {6, 4}, {1, 4}, {2, 5}, {3, 6}},
       .5}};
  const std::vector<std::vector<std::array<std::size_t, 2>>> vtk_edges = {
      {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
      {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
      {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Case& c = cases[n];
    std::ostringstream deck;
    deck << "*NODE\n";
    int id = 0;
    for (const auto& [x, y, z] : c.corners) deck << ++id << "," << x << "," << y << "," << z << "\n";
    for (const auto& [a, b] : c.edges) {
      deck << ++id;
      for (std::size_t d = 0; d < 3; ++d)
        deck << ","
             << (c.corners[static_cast<std::size_t>(a) - 1][d] + c.corners[static_cast<std::size_t>(b) - 1][d]) / 2;
      deck << "\n";
    }
    // Without commas at the lines' ends where one line can't hold all.
    deck << "*ELEMENT, TYPE=" << c.name << "\n1";
    for (int i = 1; i <= id; ++i) deck << (i == 16 ? "\n" : ",") << i;
    const VolumeMesh mesh = read(deck.str());
    const auto element = mesh.blocks.at(0).element(0);
    for (std::size_t e = 0; e < vtk_edges[n].size(); ++e) {
      const auto [a, b] = vtk_edges[n][e];
      const auto p = vertex(mesh, static_cast<std::size_t>(element[a])),
                 q = vertex(mesh, static_cast<std::size_t>(element[b]));
      const auto m = vertex(mesh, static_cast<std::size_t>(element[c.corners.size() + e]));
      for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(m[d], (p[d] + q[d]) / 2) << c.name << " edge " << e;
    }
    if (n == 0) {
      EXPECT_NEAR(check_mesh(mesh).volume, c.volume, 1e-15);
    }
  }
}

// ---- regions --------------------------------------------------------------------------------------------------------

std::vector<std::string> element_region_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  for (const auto region : mesh.element_region)
    names.push_back(region < 0 ? "-" : mesh.regions.at(static_cast<std::size_t>(region)).name);
  return names;
}

TEST_F(AbaqusElements, WithoutSectionsSetsThatPartTheElementsAreRegions) {
  const std::string one = "*ELEMENT, TYPE=C3D4, ELSET=EB1\n1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n";
  const std::string two = "*ELEMENT, TYPE=C3D4, ELSET=EB2\n3, 3, 4, 5, 6\n4, 4, 5, 6, 7\n";
  using Names = std::vector<std::string>;
  EXPECT_EQ(element_region_names(read(seven_nodes + one + two)), (Names{"EB1", "EB1", "EB2", "EB2"}));
  const std::string sets = "*ELSET, ELSET=A\n1, 3\n*ELSET, ELSET=B, GENERATE\n2, 4, 2\n";
  EXPECT_EQ(element_region_names(read(seven_nodes + one + two + sets)), (Names{"A", "B", "A", "B"}));
  const std::string whole = "*ELSET, ELSET=All\nA, B\n";
  EXPECT_EQ(element_region_names(read(seven_nodes + one + two + sets + whole)), (Names{"A", "B", "A", "B"}));
  const std::string overlapping = "*ELSET, ELSET=C\n1, 4\n";
  EXPECT_EQ(element_region_names(read(seven_nodes + one + two + sets + overlapping)),
            (Names{"EB1", "EB1", "EB2", "EB2"}));
  const std::string unnamed = replaced(one, ", ELSET=EB1", "") + replaced(two, ", ELSET=EB2", "");
  EXPECT_EQ(element_region_names(read(seven_nodes + unnamed + overlapping)), (Names{"-", "-", "-", "-"}));
  EXPECT_EQ(element_region_names(read(seven_nodes + unnamed + sets + whole + overlapping)),
            (Names{"All", "All", "All", "All"}));
  EXPECT_EQ(element_region_names(read(seven_nodes + unnamed)), (Names{"-", "-", "-", "-"}));
}

TEST_F(AbaqusElements, SectionsThatOverlapAndMaterialsThatCantBeUsed) {
  const std::string deck = seven_nodes + R"(*ELEMENT, TYPE=C3D4, ELSET=E
1, 1, 2, 3, 4
2, 2, 3, 4, 5
3, 3, 4, 5, 6
*ELSET, ELSET=A
1, 2
*ELSET, ELSET=B
2, 3
*SOLID SECTION, ELSET=A, MATERIAL=warm
*SOLID SECTION, ELSET=B, MATERIAL=light
*MATERIAL, NAME=warm
*ELASTIC
100., .1, 20.
 50., .2, 90.
*DENSITY
3., 20.
2., 90.
*EXPANSION
1e-5
*PLASTIC
1., 0.
*MATERIAL, NAME=light
*ELASTIC
100., .1
*TIE, NAME=t
s1, s2
*TIE, NAME=u
s3, s4
)";
  const VolumeMesh mesh = read(deck);
  EXPECT_EQ(element_region_names(mesh), (std::vector<std::string>{"A", "B", "B"}));
  EXPECT_EQ(mesh.regions[0].material.value().youngs_modulus, 100);
  EXPECT_EQ(mesh.regions[0].material.value().density, 3);
  EXPECT_FALSE(mesh.regions[1].material);
  EXPECT_TRUE(has_warning(mesh, {"1 element is in more than one *SOLID SECTION", "element 2, at last in B"}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:21", "*ELASTIC of material 'warm'", "first row"})) << joined(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"*DENSITY of material 'warm'", "first row"}));
  EXPECT_TRUE(has_warning(mesh, {"material 'light' has no *DENSITY"}));
  EXPECT_TRUE(has_warning(mesh, {"line 28, *PLASTIC: ", "line 33, *TIE (2 times): "}));
  EXPECT_EQ(mesh.warnings.size(), 5U) << joined(mesh.warnings);

  const VolumeMesh other = read(replaced(replaced(deck, "MATERIAL=light", "MATERIAL=none"), "*ELASTIC\n100., .1, 20",
                                         "*ELASTIC, TYPE = Engineering Constants\n100., .1, 20"));
  EXPECT_FALSE(other.regions[0].material);
  EXPECT_TRUE(has_warning(other, {"material 'none', which the deck doesn't define"})) << joined(other.warnings);
  EXPECT_TRUE(has_warning(other, {"'Engineering Constants'", "only ISOTROPIC"}));
}

}  // namespace
}  // namespace quartic
