// Input decks of Abaqus and CalculiX: sets, instances, what is fixed, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::flat_deck;
using test::has_warning;
using test::joined;
using test::parts_deck;
using test::replaced;
using test::seven_nodes;
using test::vertex;

using Indices = std::vector<std::int32_t>;

class Abaqus : public test::AbaqusReading {};

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
  ASSERT_EQ(mesh.warnings.size(), 2U) << joined(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"*ELEMENT of 1 S3", "line 58, *BOUNDARY of a later step"}));
  EXPECT_TRUE(has_warning(mesh, {"fully integrated", "1 C3D4H"}));
}

TEST_F(Abaqus, SetsSectionsAndBoundariesOfADeckWithoutParts) {
  expect_flat(read(flat_deck));
}

TEST_F(Abaqus, LineEndsAndByteOrderMarksDontMatter) {
  for (const std::string end : {"\t\r\n", "\r"}) {
    std::string other = "\xEF\xBB\xBF";
    for (const char c : flat_deck) other += c == '\n' ? end : std::string(1, c);
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
  EXPECT_TRUE(mesh.warnings.empty()) << joined(mesh.warnings);
}

TEST_F(Abaqus, InstancesStandWhereTheyAreMovedAndTurned) {
  const VolumeMesh mesh = read(parts_deck);
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
  const Material& rubber = mesh.regions[2].material.value();  // C10 = 1, D1 = 2
  EXPECT_EQ(rubber.law, MaterialLaw::mooney_rivlin);
  EXPECT_EQ(rubber.mooney_share, 0);
  EXPECT_NEAR(lame_mu(rubber), 2, 1e-14);
  EXPECT_NEAR(lame_lambda(rubber) + lame_mu(rubber) * 2 / 3, 1, 1e-14);

  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, Indices>{{"Tet-1.Base", {0, 1, 2}},
                                                              {"Tet-2.Base", {4, 5, 6}},
                                                              {"Tet-2.top", {7}},
                                                              {"Held", {0, 2, 8, 9, 10, 11}},
                                                              {"Mixed", {0, 2, 4, 5, 6, 8, 9, 10, 11, 15}},
                                                              {"boundary", {0, 2, 4, 5, 6, 7, 8, 9, 10, 11}}}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:17:", "'Spare'", "left out"})) << joined(mesh.warnings);
  EXPECT_TRUE(has_warning(mesh, {"1 node outside of parts"}));
  EXPECT_TRUE(has_warning(mesh, {"line 61, *ELEMENT of 1 SPRINGA: their stiffness"}));
  EXPECT_TRUE(has_warning(mesh, {"material 'N' becomes quartic's law mooney-rivlin"}));
  EXPECT_TRUE(has_warning(mesh, {"fully integrated", "1 C3D8R"}));
  EXPECT_EQ(mesh.warnings.size(), 5U) << joined(mesh.warnings);
}

TEST_F(Abaqus, SectionsOfTheAssemblyMayHaveElementsOfAnyInstance) {
  const VolumeMesh mesh = read(replaced(parts_deck, "*Node\n 1, 5.", R"(*Elset, elset=Both, instance=Tet-1
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
      << joined(mesh.warnings);
}

TEST_F(Abaqus, InstancesMayHaveAMeshOfTheirOwn) {
  std::string deck = parts_deck;
  const auto begin = deck.find("*Part, name=Box"), end = deck.find("*End Part", begin);
  const std::string box = deck.substr(begin + 16, end - begin - 16);
  deck.erase(begin, end + 10 - begin);
  deck =
      replaced(deck, "*Instance, name=Box-1, part=Box\n 0., 20., 0.\n", "*Instance, name=Box-1\n 0., 20., 0.\n" + box);
  const VolumeMesh mesh = read(deck), twin = read(parts_deck);
  EXPECT_EQ(mesh.vertices, twin.vertices);
  EXPECT_EQ(mesh.vertex_sets, twin.vertex_sets);
  EXPECT_EQ(mesh.element_region, twin.element_region);
  EXPECT_EQ(mesh.regions[2].name, "Box-1.Set-1");
}

TEST_F(Abaqus, PartsWithoutAnyInstanceAreTakenOnce) {
  const auto begin = parts_deck.find("*Assembly"), end = parts_deck.find("*Material");
  std::string deck = parts_deck.substr(0, begin) + parts_deck.substr(end);
  deck.resize(deck.find("*Boundary"));
  const VolumeMesh mesh = read(deck);
  EXPECT_EQ(mesh.vertex_count(), 13);
  EXPECT_EQ(mesh.element_count(), 2);
  EXPECT_EQ(mesh.regions.at(0).name, "Tet.Set-1");
  EXPECT_TRUE(has_warning(mesh, {"every *PART is used once"}));
}

// ---- what is fixed --------------------------------------------------------------------------------------------------

TEST_F(Abaqus, BoundariesThatFixAllDirectionsAreAVertexSet) {
  const std::string mesh_lines =
      seven_nodes + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n*NSET, NSET=A\n1, 2\n*NSET, NSET=B\n2, 3\n";
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
  // Degrees of freedom of another physics: 0 and 11 are temperatures in CalculiX.
  EXPECT_EQ(fixed("*BOUNDARY\nA, 0, 0, 300.\nB, 0\nB, 11\n4, 8, 8, 2.\n*BOUNDARY, MASS FLOW\nA, 1, 3\n"), Indices{});
  EXPECT_EQ(fixed("*BOUNDARY\nA, 0, 3\n"), (Indices{0, 1}));
  for (const char* line : {"A, 0, 0, 300.\n", "A, 11, 11, 300.\n", "A, 4, 6\n"})
    EXPECT_TRUE(read(mesh_lines + "*BOUNDARY\n" + line).warnings.empty()) << line;
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
    EXPECT_EQ(read(start + flat_deck).element_count(), 2);
  // A comma too many at the end of a keyword line.
  EXPECT_EQ(read(replaced(flat_deck, "NSET=Nall", "NSET=Nall,")).vertex_count(), 5);
  expect_error("*KEYWORD\n*NODE\n       1  0.0  0.0  0.0\n", {"no mesh format"});
  expect_error("** only a comment\n", {"no mesh format"});
  expect_error("*NODE\n1, 0, 0, 0\n", {"no elements"});
  // VegaFEM's files begin with a star, too.
  const VolumeMesh veg = read("*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4\n1 1 2 3 4\n");
  EXPECT_EQ(veg.element_count(), 1);
}

TEST_F(Abaqus, NodesGivenTwiceInTheSamePlaceAreOne) {
  const VolumeMesh mesh = read(replaced(flat_deck, "*Node ,nset = more\n", "*Node ,nset = more\n 20, 1., 0., 0.\n"));
  EXPECT_EQ(mesh.vertex_count(), 5);
  EXPECT_EQ(mesh.vertex_sets.at("more"), (Indices{1, 3, 4}));
}

TEST_F(Abaqus, NumbersInSetsThatTheDeckDoesntHave) {
  const VolumeMesh mesh = read(replaced(flat_deck, "*NSET, NSET=FIX\n", "*NSET, NSET=FIX\n 11, 12\n"));
  EXPECT_EQ(mesh.vertex_sets.at("FIX"), (Indices{0, 1, 2}));
  EXPECT_TRUE(has_warning(mesh, {"m.txt:22", "set 'FIX' names 2 numbers that no node has (11)"}))
      << joined(mesh.warnings);
  // A range may be far larger than the deck.
  const VolumeMesh huge = read(replaced(flat_deck, " 30, 40\n", " 1, 9223372036854775807\n"));
  EXPECT_EQ(huge.vertex_sets.at("range"), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(read(replaced(flat_deck, " 30, 40\n", " 1, 9223372036854775807, 3\n")).vertex_sets.at("range"),
            (Indices{0, 1, 2, 3, 4}));  // 7, 20, 10, 40 and 1e12
  const VolumeMesh steps =
      read(replaced(flat_deck, " 7, 20, 13\n 30, 40\n", "-9223372036854775808,9223372036854775807,8\n"));
  EXPECT_EQ(steps.vertex_sets.at("range"), (Indices{3, 4}));  // multiples of 8: 40 and 1e12
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
  EXPECT_TRUE(mesh.warnings.empty()) << joined(mesh.warnings);
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
  EXPECT_TRUE(hex.warnings.empty()) << joined(hex.warnings);
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

}  // namespace
}  // namespace quartic
