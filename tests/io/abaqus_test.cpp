// Input decks of Abaqus and CalculiX.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::expect_indices_in_range;
using test::MeshReading;
using test::replaced;

using Indices = std::vector<std::int32_t>;

// Two tetrahedra of different materials, with most of what decks without parts have.
const std::string flat = R"(** made by hand
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
const std::string parts = R"(*Heading
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

class Abaqus : public MeshReading {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  void expect_error(const std::string& content, const std::vector<std::string>& texts) const {
    MeshReading::expect_error<InputError>(content, texts);  // not only of this file: of included ones, too
  }
};

bool has_warning(const VolumeMesh& mesh, const std::vector<std::string>& texts) {
  return std::any_of(mesh.warnings.begin(), mesh.warnings.end(), [&](const std::string& warning) {
    return std::all_of(texts.begin(), texts.end(),
                       [&](const std::string& part) { return warning.find(part) != std::string::npos; });
  });
}

std::string all(const std::vector<std::string>& warnings) {
  std::string text;
  for (const auto& warning : warnings) text += warning + "\n";
  return text;
}

std::array<double, 3> vertex(const VolumeMesh& mesh, std::size_t v) {
  return {mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]};
}

void expect_flat(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (Indices{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"S3", 1}}));
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "Soft");  // as first written
  EXPECT_EQ(mesh.regions[1].name, "HARD");
  EXPECT_EQ(mesh.element_region, (Indices{0, 1}));
  ASSERT_TRUE(mesh.regions[0].material && mesh.regions[1].material);
  EXPECT_EQ(mesh.regions[0].material->youngs_modulus, 2e6);
  EXPECT_EQ(mesh.regions[0].material->poissons_ratio, .45);
  EXPECT_EQ(mesh.regions[0].material->density, 1100);
  EXPECT_EQ(mesh.regions[1].material->youngs_modulus, 210000);
  EXPECT_EQ(mesh.regions[1].material->density, 7.8e-9);
  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, Indices>{{"Nall", {0, 1, 2}},
                                                              {"more", {3, 4}},
                                                              {"FIX", {0, 1, 2}},
                                                              {"range", {1, 2, 3}},
                                                              {"both of them", {0, 1, 2, 3, 4}},
                                                              {"of_hard", {1, 2, 3, 4}},
                                                              {"skin", {0, 1, 2}},
                                                              {"boundary", {0, 1, 2, 3}}}));
  ASSERT_EQ(mesh.warnings.size(), 2U) << all(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"left out", "1 S3"}));
  EXPECT_TRUE(has_warning(mesh, {"fully integrated", "1 C3D4H"}));
}

TEST_F(Abaqus, SetsSectionsAndBoundariesOfADeckWithoutParts) {
  expect_flat(read(flat));
}

TEST_F(Abaqus, LineEndsAndByteOrderMarksDontMatter) {
  for (const std::string end : {"\t\r\n", "\r"}) {
    std::string other = "\xEF\xBB\xBF";
    for (const char c : flat) other += c == '\n' ? end : std::string(1, c);
    expect_flat(read(other));
  }
}

TEST_F(Abaqus, KeywordsMayComeInAnyOrder) {
  // Elements before their nodes, sets before what they name, sections before all.
  const std::string deck = R"(*SOLID SECTION, ELSET=E, MATERIAL=M
*NSET, NSET=A
B
*NSET, NSET=B
A, 4
*ELEMENT, TYPE=C3D4, ELSET=E
1, 1, 2, 3, 4
*NODE
1
2, 1.
3, , 1.
4, , , 1.
*MATERIAL, NAME=M
*ELASTIC
1., 0.
*DENSITY
1.
)";
  const VolumeMesh mesh = read(deck);
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(mesh.vertex_sets.at("A"), Indices{3});  // sets that name each other are the same
  EXPECT_EQ(mesh.vertex_sets.at("B"), Indices{3});
  EXPECT_EQ(mesh.regions.at(0).name, "E");
  EXPECT_TRUE(mesh.warnings.empty()) << all(mesh.warnings);
}

TEST_F(Abaqus, InstancesStandWhereTheyAreMovedAndTurned) {
  const VolumeMesh mesh = read(parts);
  ASSERT_EQ(mesh.vertex_count(), 16);
  EXPECT_EQ(vertex(mesh, 1), (std::array<double, 3>{2, 0, 0}));
  // 90 degrees about the line x = 10, y = 0 in z: (x, y) -> (10 - y, x - 10), after the shift by 10.
  const std::array<std::array<double, 3>, 4> turned = {{{10, 0, 0}, {10, 2, 0}, {9, 0, 0}, {10, 0, 1}}};
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(vertex(mesh, 4 + v)[d], turned[v][d], 1e-14);  // cos 90 degrees is 6e-17, coordinates up to 10
  EXPECT_EQ(vertex(mesh, 14), (std::array<double, 3>{1, 21, 1}));
  ASSERT_EQ(mesh.blocks.size(), 2U);
  EXPECT_EQ(mesh.blocks[0].vertices, (Indices{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(mesh.blocks[1].vertices, (Indices{8, 9, 10, 11, 12, 13, 14, 15}));

  ASSERT_EQ(mesh.regions.size(), 3U);
  EXPECT_EQ(mesh.regions[0].name, "Tet-1.Set-1");
  EXPECT_EQ(mesh.regions[1].name, "Tet-2.Set-1");
  EXPECT_EQ(mesh.regions[2].name, "Box-1.Set-1");
  EXPECT_EQ(mesh.element_region, (Indices{0, 1, 2}));
  EXPECT_EQ(mesh.regions[1].material.value().youngs_modulus, 1e6);
  EXPECT_FALSE(mesh.regions[2].material);

  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, Indices>{{"Tet-1.Base", {0, 1, 2}},
                                                              {"Tet-2.Base", {4, 5, 6}},
                                                              {"Tet-2.top", {7}},
                                                              {"Held", {0, 2, 8, 9, 10, 11}},
                                                              {"Mixed", {0, 2, 4, 5, 6, 8, 9, 10, 11, 15}},
                                                              {"boundary", {0, 2, 4, 5, 6, 7, 8, 9, 10, 11}}}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:17:", "'Spare'", "left out"})) << all(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"1 node outside of parts"}));
  EXPECT_TRUE(has_warning(mesh, {"*Hyperelastic after material 'N'", "skipped"}));
  EXPECT_TRUE(has_warning(mesh, {"material 'N' has no isotropic *ELASTIC"}));
  EXPECT_TRUE(has_warning(mesh, {"fully integrated", "1 C3D8R"}));
  EXPECT_TRUE(has_warning(mesh, {"stiffness", "1 SPRINGA"}));
  EXPECT_EQ(mesh.warnings.size(), 6U) << all(mesh.warnings);
}

TEST_F(Abaqus, SectionsOfTheAssemblyMayHaveElementsOfAnyInstance) {
  const VolumeMesh mesh = read(replaced(parts, "*Node\n 1, 5.", R"(*Elset, elset=Both, instance=Tet-1
 1
*Elset, elset=Both
 Box-1.Set-1
*Solid Section, elset=Both, material=M
*Elset, elset=Again, instance=Box-1
 1
*Solid Section, elset=Again, material=M
*Node
 1, 5.)"));
  ASSERT_EQ(mesh.regions.size(), 5U);
  // What stands outside of parts comes first, the parts' own sections later.
  EXPECT_EQ(mesh.regions[0].name, "Both");
  EXPECT_EQ(mesh.regions[1].name, "Again");
  EXPECT_EQ(mesh.regions[2].name, "Tet-1.Set-1");
  EXPECT_EQ(mesh.element_region, (Indices{2, 3, 4}));
  EXPECT_TRUE(has_warning(mesh, {"3 elements are in more than one *SOLID SECTION", "element 1, at last in Again"}))
      << all(mesh.warnings);
}

TEST_F(Abaqus, InstancesMayHaveAMeshOfTheirOwn) {
  std::string deck = parts;
  const auto begin = deck.find("*Part, name=Box"), end = deck.find("*End Part", begin);
  const std::string box = deck.substr(begin + 16, end - begin - 16);
  deck.erase(begin, end + 10 - begin);
  deck =
      replaced(deck, "*Instance, name=Box-1, part=Box\n 0., 20., 0.\n", "*Instance, name=Box-1\n 0., 20., 0.\n" + box);
  const VolumeMesh mesh = read(deck), twin = read(parts);
  EXPECT_EQ(mesh.vertices, twin.vertices);
  EXPECT_EQ(mesh.vertex_sets, twin.vertex_sets);
  EXPECT_EQ(mesh.element_region, twin.element_region);
  EXPECT_EQ(mesh.regions[2].name, "Box-1.Set-1");
}

TEST_F(Abaqus, PartsWithoutAnyInstanceAreTakenOnce) {
  const auto begin = parts.find("*Assembly"), end = parts.find("*Material");
  std::string deck = parts.substr(0, begin) + parts.substr(end);
  deck.resize(deck.find("*Boundary"));
  const VolumeMesh mesh = read(deck);
  EXPECT_EQ(mesh.vertex_count(), 13);
  EXPECT_EQ(mesh.element_count(), 2);
  EXPECT_EQ(mesh.regions.at(0).name, "Tet.Set-1");
  EXPECT_TRUE(has_warning(mesh, {"every *PART is used once"}));
}

// ---- element types --------------------------------------------------------------------------------------------------

struct TypeCase {
  const char* names;
  ElementType type;
};

TEST_F(Abaqus, TypesOfSolidsAreKnownByTheirNames) {
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
    EXPECT_TRUE(has_warning(mesh, {"stiffness", std::string("2 ") + name}));
    expect_error(nodes.str() + "*ELEMENT, TYPE=" + name + "\n1, 1, 2, 3\n",
                 {"no volume elements", std::string("1 ") + name, "volume mesh"});
  }
}

// Volumes by an independent formula: the middle nodes are where the deck's order has them, or the volume is another.
TEST_F(Abaqus, MiddleNodesStandOnTheirEdges) {
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

std::vector<std::string> region_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  for (const auto region : mesh.element_region)
    names.push_back(region < 0 ? "-" : mesh.regions.at(static_cast<std::size_t>(region)).name);
  return names;
}

const std::string four_elements = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 1, 1, 1
6, 2, 2, 2
7, 3, 2, 2
)";

TEST_F(Abaqus, WithoutSectionsSetsThatPartTheElementsAreRegions) {
  const std::string one = "*ELEMENT, TYPE=C3D4, ELSET=EB1\n1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n";
  const std::string two = "*ELEMENT, TYPE=C3D4, ELSET=EB2\n3, 3, 4, 5, 6\n4, 4, 5, 6, 7\n";
  using Names = std::vector<std::string>;
  EXPECT_EQ(region_names(read(four_elements + one + two)), (Names{"EB1", "EB1", "EB2", "EB2"}));
  const std::string sets = "*ELSET, ELSET=A\n1, 3\n*ELSET, ELSET=B, GENERATE\n2, 4, 2\n";
  EXPECT_EQ(region_names(read(four_elements + one + two + sets)), (Names{"A", "B", "A", "B"}));
  const std::string whole = "*ELSET, ELSET=All\nA, B\n";
  EXPECT_EQ(region_names(read(four_elements + one + two + sets + whole)), (Names{"A", "B", "A", "B"}));
  const std::string overlapping = "*ELSET, ELSET=C\n1, 4\n";
  EXPECT_EQ(region_names(read(four_elements + one + two + sets + overlapping)), (Names{"EB1", "EB1", "EB2", "EB2"}));
  const std::string unnamed = replaced(one, ", ELSET=EB1", "") + replaced(two, ", ELSET=EB2", "");
  EXPECT_EQ(region_names(read(four_elements + unnamed + overlapping)), (Names{"-", "-", "-", "-"}));
  EXPECT_EQ(region_names(read(four_elements + unnamed + sets + whole + overlapping)),
            (Names{"All", "All", "All", "All"}));
  EXPECT_EQ(region_names(read(four_elements + unnamed)), (Names{"-", "-", "-", "-"}));
}

TEST_F(Abaqus, SectionsThatOverlapAndMaterialsThatCantBeUsed) {
  const std::string deck = four_elements + R"(*ELEMENT, TYPE=C3D4, ELSET=E
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
  EXPECT_EQ(region_names(mesh), (std::vector<std::string>{"A", "B", "B"}));
  EXPECT_EQ(mesh.regions[0].material.value().youngs_modulus, 100);
  EXPECT_EQ(mesh.regions[0].material.value().density, 3);
  EXPECT_FALSE(mesh.regions[1].material);
  EXPECT_TRUE(has_warning(mesh, {"1 element is in more than one *SOLID SECTION", "element 2, at last in B"}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:21", "*ELASTIC of material 'warm'", "first row"})) << all(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"*DENSITY of material 'warm'", "first row"}));
  EXPECT_TRUE(has_warning(mesh, {"*PLASTIC after material 'warm'"}));
  EXPECT_TRUE(has_warning(mesh, {"material 'light' has no *DENSITY"}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:33: *TIE", "skipped"}));
  EXPECT_EQ(mesh.warnings.size(), 6U) << all(mesh.warnings);

  const VolumeMesh other = read(replaced(replaced(deck, "MATERIAL=light", "MATERIAL=none"), "*ELASTIC\n100., .1, 20",
                                         "*ELASTIC, TYPE = Engineering Constants\n100., .1, 20"));
  EXPECT_FALSE(other.regions[0].material);
  EXPECT_TRUE(has_warning(other, {"material 'none', which the deck doesn't define"})) << all(other.warnings);
  EXPECT_TRUE(has_warning(other, {"'Engineering Constants'", "only ISOTROPIC"}));
}

// ---- what is fixed --------------------------------------------------------------------------------------------------

TEST_F(Abaqus, BoundariesThatFixAllDirectionsAreAVertexSet) {
  const std::string mesh_lines =
      four_elements + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*NSET, NSET=A\n1, 2\n*NSET, NSET=B\n2, 3\n";
  const auto fixed = [&](const std::string& lines) {
    const VolumeMesh mesh = read(mesh_lines + lines);
    const auto set = mesh.vertex_sets.find("boundary");
    return set == mesh.vertex_sets.end() ? Indices{} : set->second;
  };
  EXPECT_EQ(fixed("*BOUNDARY\nA, 1, 3\n"), (Indices{0, 1}));
  EXPECT_EQ(fixed("*BOUNDARY\nA, 1, 6, 0.\n4, PINNED\n"), (Indices{0, 1, 3}));
  EXPECT_EQ(fixed("*BOUNDARY\nA, XSYMM\nB, XASYMM\n"), Indices{1});
  EXPECT_EQ(fixed("*BOUNDARY\nA, 1\nA, 2\n*STEP\n*BOUNDARY\nA, 3\n*END STEP\n"), (Indices{0, 1}));
  EXPECT_EQ(fixed("*BOUNDARY\nA, encastre\n*STEP\n*BOUNDARY, OP=NEW\nB, 1, 3\n*END STEP\n"), (Indices{1, 2}));
  EXPECT_EQ(fixed("*BOUNDARY\nA, 1, 3, 0.5\nB, 4, 6\nB, 11, 11, 300.\n"), Indices{});
  EXPECT_EQ(fixed("*STEP\n*BOUNDARY\nA, 1, 3\n*END STEP\n*STEP\n*BOUNDARY\nB, 1, 3\n*END STEP\n"), (Indices{0, 1}));
  EXPECT_TRUE(has_warning(read(mesh_lines + "*BOUNDARY\nA, 1, 2\n"), {"fixes 2 nodes in some directions only"}));
  EXPECT_TRUE(has_warning(read(mesh_lines + "*BOUNDARY\nA, 3, 3, 1.\n"), {"m.txt:16", "moves its nodes"}));
  const VolumeMesh own = read(mesh_lines + "*NSET, NSET=boundary\n4\n*BOUNDARY\nA, 1, 3\n");
  EXPECT_EQ(own.vertex_sets.at("boundary"), Indices{3});
  EXPECT_TRUE(has_warning(own, {"'boundary' of its own"}));
}

// ---- files ----------------------------------------------------------------------------------------------------------

TEST_F(Abaqus, IncludedFilesStandInTheirPlaces) {
  write("sub/nodes.inp", "1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n");
  write("sub/mesh.inp",
        "** a piece\n*NODE\n*INCLUDE, INPUT=nodes.inp\n4, 0, 0, 1\n*INCLUDE, INPUT=\"my elements.txt\"");
  write("sub/my elements.txt", "*ELEMENT, TYPE=C3D4, INPUT=rows.csv\n");
  write("sub/rows.csv", "1, 1, 2,\r\n 3, 4");
  const VolumeMesh mesh = read("*INCLUDE, INPUT=sub/mesh.inp\n*NSET, NSET=A\n4\n");
  EXPECT_EQ(mesh.vertex_count(), 4);
  EXPECT_EQ(mesh.blocks.at(0).vertices, (Indices{0, 1, 2, 3}));
  EXPECT_EQ(mesh.vertex_sets.at("A"), Indices{3});
  EXPECT_EQ(mesh.source_files, (std::vector<std::filesystem::path>{
                                   folder_ / "m.txt", folder_ / "sub/mesh.inp", folder_ / "sub/my elements.txt",
                                   folder_ / "sub/nodes.inp", folder_ / "sub/rows.csv"}));
  write("sub/nodes.inp", "1, 0, 0, 0\n2, x, 0, 0\n");
  expect_error("*INCLUDE, INPUT=sub/mesh.inp\n", {"nodes.inp:2: node 2, field 2: 'x' is not a number"});
  write("sub/nodes.inp", "*INCLUDE, INPUT=mesh.inp\n");
  expect_error("*INCLUDE, INPUT=sub/mesh.inp\n", {"nodes.inp:1", "circle"});
  expect_error("*INCLUDE, INPUT=gone.inp\n", {"m.txt:1", "gone.inp"});
  expect_error("*INCLUDE, FILE=gone.inp\n", {"m.txt:1", "*INCLUDE needs INPUT="});
  expect_error("*INCLUDE, INPUT=m.txt,", {"m.txt:1", "circle"});
}

TEST_F(Abaqus, DecksAreKnownByTheirKeywords) {
  for (const char* start : {"", "\n** a comment\n\n", "*RESTART, WRITE\n", "*Time Points, name=t\n0., 1.\n"})
    EXPECT_EQ(read(start + flat).element_count(), 2);
  // A comma too many at the end of a keyword line.
  EXPECT_EQ(read(replaced(flat, "NSET=Nall", "NSET=Nall,")).vertex_count(), 5);
  expect_error("*KEYWORD\n*NODE\n       1  0.0  0.0  0.0\n", {"no mesh format"});
  expect_error("** only a comment\n", {"no mesh format"});
  expect_error("*NODE\n1, 0, 0, 0\n", {"no elements"});
  // VegaFEM's files begin with a star, too.
  const VolumeMesh veg = read("*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4\n1 1 2 3 4\n");
  EXPECT_EQ(veg.element_count(), 1);
}

TEST_F(Abaqus, NodesGivenTwiceInTheSamePlaceAreOne) {
  const VolumeMesh mesh = read(replaced(flat, "*Node ,nset = more\n", "*Node ,nset = more\n 20, 1., 0., 0.\n"));
  EXPECT_EQ(mesh.vertex_count(), 5);
  EXPECT_EQ(mesh.vertex_sets.at("more"), (Indices{1, 3, 4}));
}

TEST_F(Abaqus, NumbersInSetsThatTheDeckDoesntHave) {
  const VolumeMesh mesh = read(replaced(flat, "*NSET, NSET=FIX\n", "*NSET, NSET=FIX\n 11, 12\n"));
  EXPECT_EQ(mesh.vertex_sets.at("FIX"), (Indices{0, 1, 2}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:22", "set 'FIX' names 2 numbers that no node has (11)"})) << all(mesh.warnings);
  // A range may be far larger than the deck.
  const VolumeMesh huge = read(replaced(flat, " 30, 40\n", " 1, 9223372036854775807\n"));
  EXPECT_EQ(huge.vertex_sets.at("range"), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(read(replaced(flat, " 30, 40\n", " 1, 9223372036854775807, 3\n")).vertex_sets.at("range"),
            (Indices{0, 1, 2, 3, 4}));  // 7, 20, 10, 40 and 1e12
  const VolumeMesh steps =
      read(replaced(flat, " 7, 20, 13\n 30, 40\n", "-9223372036854775808,9223372036854775807,8\n"));
  EXPECT_EQ(steps.vertex_sets.at("range"), (Indices{3, 4}));  // multiples of 8: 40 and 1e12
}

TEST_F(Abaqus, ErrorsNameLineAndEntity) {
  expect_error(replaced(flat, "1.0D+00, 0.", "10.0-1, 0."), {"m.txt:6: node 20, field 2: '10.0-1' is not a number"});
  expect_error(replaced(flat, "1.0D+00, 0.", "1.0D+00 0."), {"m.txt:6", "field 2", "is not a number"});
  expect_error(replaced(flat, "1.0D+00, 0.", "<x>, 0."), {"m.txt:6", "'<x>'"});
  expect_error(replaced(flat, " 7, 0., 1., 0.", " 7, 0,5, 1,2, 3,4"), {"m.txt:7: node 7", "decimal commas"});
  expect_error(replaced(flat, " 7, 0., 1., 0.", " 7.5, 0., 1., 0."), {"m.txt:7: a node's row, field 1: '7.5'"});
  expect_error(replaced(flat, " 7, 0., 1., 0.", " 0, 0., 1., 0."), {"m.txt:7", "'0' is not a number from 1 on"});
  expect_error(replaced(flat, " 7, 0., 1., 0.", " 20, 0., 1., 0."), {"m.txt:7: node 20", "second time"});
  expect_error(replaced(flat, "1, 10, 20, 7, 40", "1, 10, 20, 7"),
               {"m.txt:15: element 1 (C3D4) has 3 nodes instead of 4"});
  expect_error(replaced(flat, "1, 10, 20, 7, 40", "1, 10, 20, 7,"),
               {"m.txt:15: element 1 (C3D4) has 3 nodes instead of 4"});
  expect_error(replaced(flat, "1, 10, 20, 7, 40", "1, 10, 20, 7, 40, 8"), {"m.txt:15", "more than 4 nodes: '8'"});
  expect_error(replaced(flat, "1, 10, 20, 7, 40", "1, 10, 20, , 40"), {"m.txt:15", "field 4", "a node's number"});
  expect_error(replaced(flat, "1, 10, 20, 7, 40", "1, 10, 20, 8, 40"), {"m.txt:15: element 1 has node 8", "5 nodes"});
  expect_error(replaced(flat, " 5, 20,", " 1, 20,"), {"m.txt:17: element 1 is defined a second time"});
  expect_error(replaced(flat, "TYPE=C3D4", "TIPE=C3D4"), {"m.txt:13: *ELEMENT needs TYPE="});
  expect_error(replaced(flat, "NSET=Nall", "SYSTEM=C"), {"m.txt:4", "SYSTEM=C", "rectangular"});
  for (const char* keyword : {"*NGEN", "*NFILL", "*NCOPY", "*ELGEN", "*ElCopy", "*SYSTEM", "*NMAP"})
    expect_error(replaced(flat, "*NSET, NSET=FIX", std::string(keyword) + ", X=1\n1, 2, 3\n*NSET, NSET=FIX"),
                 {"m.txt:22: ", keyword, "can't be read"});
  expect_error(replaced(flat, "fix, RANGE", "fix, RANG"), {"m.txt:28", "'both of them' names the node set 'RANG'"});
  expect_error(replaced(flat, "ELSET=hard\n", "ELSET=soft1\n"), {"m.txt:30", "element set 'soft1'"});
  expect_error(replaced(flat, "7, 20, 13", "20, 7, 13"), {"m.txt:26", "GENERATE"});
  expect_error(replaced(flat, "7, 20, 13", "7, 20, 0"), {"m.txt:26", "GENERATE"});
  expect_error(replaced(flat, "7, 20, 13", "7, 20, 1.5"), {"m.txt:26", "field 3", "'1.5'"});
  expect_error(replaced(flat, " 2.0E6, .45", " 2.0E6, -.4.5"), {"m.txt:35", "'Rubber'", "'-.4.5'"});
  expect_error(replaced(flat, " 2.0E6, .45\n", ""), {"m.txt:34", "'Rubber' has no values"});
  expect_error(replaced(flat, "\"my steel\"", "RUBBER"), {"m.txt:38", "second material"});
  expect_error(replaced(flat, "\"my steel\"", "\"my steel"), {"m.txt:38", "quotation marks"});
  expect_error(replaced(flat, "*MATERIAL, NAME=Rubber\n", ""), {"m.txt:33", "must follow a *MATERIAL"});
  expect_error(replaced(flat, "ELSET=SOFT, ", "ELSET=SOFTER, "), {"m.txt:43", "'SOFTER'"});
  expect_error(replaced(flat, "Fix, 1, 3", "Fox, 1, 3"), {"m.txt:47", "'Fox'"});
  expect_error(replaced(flat, "Fix, 1, 3", "Fix, up"), {"m.txt:47", "'up'"});
  expect_error(replaced(flat, "Fix, 1, 3", "Fix"), {"m.txt:47", "direction"});
  expect_error(replaced(parts, "*End Part\n", ""), {"*PART inside of a *PART", "m.txt:16"});
  expect_error(replaced(parts, "*End Assembly\n", ""), {"m.txt:38", "no *END ASSEMBLY"});
  expect_error(replaced(parts, "part=TET", "part=Ted"), {"m.txt:39", "'Ted'"});
  expect_error(replaced(parts, "name=Tet-2", "name=TET-1"), {"m.txt:41", "second instance"});
  expect_error(replaced(parts, "10., 0., 3., 90.", "10., 0., 0., 90."), {"m.txt:41", "axis"});
  expect_error(replaced(parts, "10., 0., 3., 90.", "10., 0., 3."), {"m.txt:43", "not 6"});
  expect_error(replaced(parts, "instance=Box-1, gen", "instance=Box-2, gen"), {"'Box-2'"});
  expect_error(replaced(parts, "1, 1, 2, 3, 4", "1, 1, 2, 3, 5"), {"m.txt:9", "part 'Tet' has 4 nodes"});
  expect_error(replaced(parts, "*Nset, nset=top\n 4\n", "*Node\n 4, 1, 1, 1\n"),
               {"m.txt:44", "inside of an *INSTANCE"});
  expect_error(parts.substr(0, parts.find("*Elset")), {"no *END PART", "cut short"});
  expect_error(parts.substr(0, parts.find("*Node\n 1, 5.")) + "*Instance, name=x, part=Tet\n", {"no *END INSTANCE"});
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(Abaqus, SurvivesBeingCutAnywhere) {
  for (const std::string& file : {flat, parts})
    for (std::size_t size = 0; size < file.size(); size += 3) {
      try {
        expect_indices_in_range(read(file.substr(0, size)));
      } catch (const Error&) {
      }
    }
}

TEST_F(Abaqus, SurvivesDamage) {
  std::mt19937_64 engine(11);
  int read_count = 0, refused = 0;
  for (const std::string& file : {flat, parts})
    for (int n = 0; n < 400; ++n) {
      std::string text = file;
      for (auto times = 1 + engine() % 3; times > 0; --times) {
        const std::size_t at = engine() % text.size();
        constexpr std::string_view telling = "0123456789+-.eD,=* \n\r\"\xFF";
        const std::size_t line = text.rfind('\n', at) + 1;  // 0 in the first line
        const std::size_t length = text.find('\n', at) - line;
        switch (engine() % 5) {
          case 0:
            text.erase(at, 1 + engine() % 20);
            break;
          case 1:
            text.erase(line, length);
            break;
          case 2:
            text.insert(line, text.substr(line, length) + "\n");
            break;
          case 3:
            text.insert(at, text.substr(engine() % text.size(), engine() % 40));
            break;
          default:
            text[at] = telling[engine() % telling.size()];
        }
        if (text.empty()) break;
      }
      try {
        expect_indices_in_range(read(text));
        ++read_count;
      } catch (const Error&) {
        ++refused;
      }
    }
  EXPECT_GT(read_count, 100);
  EXPECT_GT(refused, 100);
}

// ---- reference data -------------------------------------------------------------------------------------------------

TEST(AbaqusData, CalculixBeam) {
  QUARTIC_NEED_DATA(file, "public/calculix/beam8f.inp");
  const VolumeMesh mesh = read_mesh(file);
  EXPECT_EQ(mesh.vertex_count(), 425);
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::hex8);
  EXPECT_EQ(mesh.blocks[0].count(), 256);
  EXPECT_EQ(mesh.vertex_sets.at("FIX").size(), 25U);
  EXPECT_EQ(mesh.vertex_sets.at("boundary"), mesh.vertex_sets.at("FIX"));
  for (const auto v : mesh.vertex_sets.at("FIX")) EXPECT_EQ(vertex(mesh, static_cast<std::size_t>(v))[2], 0);
  EXPECT_EQ(mesh.vertex_sets.at("LAST").size(), 25U);
  ASSERT_EQ(mesh.regions.size(), 1U);
  EXPECT_EQ(mesh.regions[0].name, "Eall");
  EXPECT_EQ(mesh.regions[0].material.value().youngs_modulus, 210000);
  EXPECT_EQ(mesh.regions[0].material.value().density, 7.8e-9);
  EXPECT_EQ(std::count(mesh.element_region.begin(), mesh.element_region.end(), 0), 256);
  EXPECT_TRUE(mesh.warnings.empty()) << all(mesh.warnings);
  EXPECT_NEAR(check_mesh(mesh).volume, 12, 1e-12);  // sums of 256 bricks
}

TEST(AbaqusData, SfepyMeshes) {
  QUARTIC_NEED_DATA(folder, "public/sfepy");
  const VolumeMesh hex = read_mesh(folder / "abaqus_hex.inp");
  EXPECT_EQ(hex.vertex_count(), 12);
  EXPECT_EQ(hex.blocks.at(0).vertices, (Indices{0, 1, 3, 2, 4, 5, 7, 6, 4, 5, 7, 6, 8, 9, 11, 10}));
  EXPECT_EQ(hex.vertex_sets.at("ALL_NODES").size(), 12U);
  EXPECT_EQ(hex.vertex_sets.at("nodes1"), (Indices{0, 1, 2}));
  EXPECT_EQ(hex.vertex_sets.at("nodes2"), (Indices{3, 4, 7}));
  EXPECT_EQ(hex.regions.at(0).name, "ALL_ELEMENTS");
  EXPECT_TRUE(hex.warnings.empty()) << all(hex.warnings);
  EXPECT_NEAR(check_mesh(hex).volume, 2, 1e-14);

  const VolumeMesh tet = read_mesh(folder / "abaqus_tet.inp");
  EXPECT_EQ(tet.vertex_count(), 13);
  EXPECT_EQ(tet.element_count(), 14);
  ASSERT_EQ(tet.regions.size(), 2U);
  EXPECT_EQ(tet.regions[0].name, "MAT1");
  EXPECT_EQ(tet.regions[1].name, "MAT2");
  EXPECT_EQ(std::count(tet.element_region.begin(), tet.element_region.end(), 0), 9);
  EXPECT_EQ(tet.vertex_sets.at("NS1"), (Indices{2, 4, 5, 6, 8, 9, 11, 12}));
  EXPECT_EQ(tet.vertex_sets.at("NS2"), Indices{10});
  EXPECT_NEAR(check_mesh(tet).volume, 0.666667, 1e-6);  // six digits are known
}

TEST(AbaqusData, TrickyDecks) {
  QUARTIC_NEED_DATA(folder, "tricky");
  for (const char* name : {"b09_blank_lines.inp", "b11_fortran_exponents.inp"}) {
    const VolumeMesh mesh = read_mesh(folder / name);
    EXPECT_EQ(mesh.vertex_count(), 8);
    EXPECT_EQ(mesh.element_count(), 5);
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.inverted, 0);
    EXPECT_NEAR(report.volume, 1, 1e-15);
  }
  EXPECT_EQ(read_mesh(folder / "b09_blank_lines.inp").vertex_sets.at("FIX"), (Indices{0, 1, 4, 5}));
  try {
    (void)read_mesh(folder / "b11b_implicit_exponent.inp");
    ADD_FAILURE() << "was read";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("inp:4: node 2, field 2: '10.0-1' is not a number"), std::string::npos)
        << error.what();
  }
}

// A chain of sets would take quadratic time.
TEST_F(Abaqus, SetsThatNameEachOtherInLongChainsAreRefused) {
  std::string deck = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=S0\n1,2\n";
  for (int i = 1; i < 2100; ++i) deck += "*NSET,NSET=S" + std::to_string(i) + "\nS" + std::to_string(i - 1) + "\n";
  expect_error(deck, {"sets name each other"});
}

TEST_F(Abaqus, AnUnfinishedLastLineIsTold) {
  const std::string deck = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4";
  EXPECT_TRUE(read(deck + "\n").warnings.empty());
  ASSERT_EQ(read(deck).warnings.size(), 1U);
  EXPECT_NE(read(deck).warnings[0].find("may be cut"), std::string::npos);
}

}  // namespace
}  // namespace quartic
