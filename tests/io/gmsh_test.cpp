// Gmsh's .msh files: versions 1, 2.2, 4.0 and 4.1, as text and binary.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "io/gmsh_bytes.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::DamagedReads;
using test::GmshBytes;
using test::MeshReading;
using test::replaced;

// Two tetrahedra and a surface triangle; the tetrahedra are in the groups "stiff" and (unnamed) 9, the triangle in
// "held".
const std::string version_2 = R"($Comments
by hand; # is no comment here
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "held #1"
3 5 "stiff part"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1 0 0
7 0 1 0
40 0 0 1.0D+00
1000000000000 1 1 1
$EndNodes
$Elements
4
1 15 2 0 1 10
2 2 2 1 3 10 7 20
3 4 2 5 1 10 20 7 40
4 4 3 9 2 1 20 7 40 1000000000000
$EndElements
$NodeData
1
"temperature"
$EndNodeData
)";

// The same in version 4.1.
const std::string version_4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "held #1"
3 5 "stiff part"
$EndPhysicalNames
$Entities
1 0 1 2
1 0 0 0 0
3 0 0 0 1 1 0 1 -1 0
1 0 0 0 1 1 1 1 5 0
2 0 0 0 1 1 1 1 9 0
$EndEntities
$Nodes
2 5 7 1000000000000
2 3 0 3
10
20
7
0 0 0
1 0 0
0 1 0
3 1 1 2
40
1000000000000
0 0 1 0.5 0.5 0.5
1 1 1 0.5 0.5 0.5
$EndNodes
$Elements
4 4 1 4
0 1 15 1
1 10
2 3 2 1
2 10 7 20
3 1 4 1
3 10 20 7 40
3 2 4 1
4 20 7 40 1000000000000
$EndElements
)";

class Gmsh : public MeshReading {};

void expect_gmsh_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, 4}));
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "stiff part");
  EXPECT_EQ(mesh.regions[1].name, "volume 9");
  EXPECT_FALSE(mesh.regions[0].material);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1}));
  ASSERT_EQ(mesh.vertex_sets.size(), 1U);
  EXPECT_EQ(mesh.vertex_sets.at("held #1"), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"tri", 1}, {"vertex", 1}}));
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST_F(Gmsh, GroupsBecomeRegionsAndSetsInBothVersions) {
  expect_gmsh_sample(read(version_2));
  expect_gmsh_sample(read(version_4));
}

TEST_F(Gmsh, LineEndsAndByteOrderMarksDontMatter) {
  for (const std::string& file : {version_2, version_4}) {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : file) windows += c == '\n' ? std::string("\t\r\n") : std::string(1, c);
    expect_gmsh_sample(read(windows));
  }
}

TEST_F(Gmsh, WithoutGroupsElementsHaveNoRegion) {
  // fTetWild's form: no tags at all.
  const VolumeMesh mesh = read(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
      "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
  EXPECT_TRUE(mesh.regions.empty());
  EXPECT_EQ(mesh.element_region, std::vector<std::int32_t>{-1});
  const VolumeMesh other = read(
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 "
      "1\n$EndNodes\n"
      "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n");
  EXPECT_EQ(other.element_region, std::vector<std::int32_t>{-1});
  EXPECT_EQ(other.blocks[0].vertices, mesh.blocks[0].vertices);
}

TEST_F(Gmsh, ElementsOfSeveralGroupsCountOnce) {
  // Version 4.1 lists groups per entity, version 2 writes the element again.
  const VolumeMesh four = read(replaced(version_4, "1 0 0 0 1 1 1 1 5 0\n", "1 0 0 0 1 1 1 2 5 9 0\n"));
  const VolumeMesh two = read(replaced(replaced(version_2, "$Elements\n4", "$Elements\n5"), "$EndElements",
                                       "5 4 2 9 1 10 20 7 40\n$EndElements"));
  const VolumeMesh more = read(replaced(replaced(version_2, "$Elements\n4", "$Elements\n7"), "$EndElements",
                                        "5 4 2 5 1 10 20 7 40\n6 4 2 9 1 10 20 7 40\n7 4 0 10 20 7 40\n$EndElements"));
  for (const VolumeMesh& mesh : {four, two, more}) {
    EXPECT_EQ(mesh.element_count(), 2);
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1}));
    ASSERT_EQ(mesh.warnings.size(), 1U);
    EXPECT_EQ(mesh.warnings[0].find("1 element belongs to several physical volumes"), 0U) << mesh.warnings[0];
  }
}

// Nodes in the middle of edges go where VTK has them: seen by their positions.
TEST_F(Gmsh, GroupsOfOneNameStayApart) {
  const auto named = [](const std::string& text) {
    return replaced(replaced(text, "$PhysicalNames\n2\n", "$PhysicalNames\n3\n"), "3 5 \"stiff part\"\n",
                    "3 5 \"stiff part\"\n3 9 \"stiff part\"\n");
  };
  for (const std::string& text : {named(version_2), named(version_4)}) {
    const VolumeMesh mesh = read(text);
    ASSERT_EQ(mesh.regions.size(), 2U);
    EXPECT_EQ(mesh.regions[0].name, "stiff part");
    EXPECT_EQ(mesh.regions[1].name, "stiff part");
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(find_regions(mesh, "stiff part#2"), std::vector<std::int32_t>{1});
    ASSERT_EQ(mesh.warnings.size(), 1U);
    EXPECT_NE(mesh.warnings[0].find("2 regions share their name with others"), std::string::npos) << mesh.warnings[0];
    EXPECT_NE(mesh.warnings[0].find("'stiff part#2'"), std::string::npos) << mesh.warnings[0];
  }
}

TEST_F(Gmsh, SecondOrderCellsAreReordered) {
  struct Case {
    int type;
    ElementType element;
    std::vector<std::array<double, 3>> corners;
    std::vector<std::array<int, 2>> gmsh_edges, vtk_edges;
  };
  const std::vector<std::array<double, 3>> cube = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const std::vector<std::array<double, 3>> wedge = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  const std::vector<Case> cases = {
      {11,
       ElementType::tet10,
       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
       {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
       {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
      {17,
       ElementType::hex20,
       cube,
       {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {18,
       ElementType::wedge15,
       wedge,
       {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
       {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}}};
  for (const Case& c : cases) {
    std::ostringstream file;
    const std::size_t count = c.corners.size() + c.gmsh_edges.size();
    file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << count << "\n";
    int id = 0;
    for (const auto& [x, y, z] : c.corners) file << ++id << " " << x << " " << y << " " << z << "\n";
    for (const auto& [a, b] : c.gmsh_edges) {
      file << ++id;
      for (std::size_t d = 0; d < 3; ++d)
        file << " " << (c.corners[static_cast<std::size_t>(a)][d] + c.corners[static_cast<std::size_t>(b)][d]) / 2;
      file << "\n";
    }
    file << "$EndNodes\n$Elements\n1\n1 " << c.type << " 0";
    for (int n = 1; n <= id; ++n) file << " " << n;
    file << "\n$EndElements\n";
    const VolumeMesh mesh = read(file.str());
    ASSERT_EQ(mesh.blocks[0].type, c.element);
    const auto element = mesh.blocks[0].element(0);
    const auto x = [&](std::size_t a, std::size_t d) {
      return mesh.vertices[3 * static_cast<std::size_t>(element[a]) + d];
    };
    for (std::size_t e = 0; e < c.vtk_edges.size(); ++e)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto [a, b] = c.vtk_edges[e];
        EXPECT_EQ(x(c.corners.size() + e, d),
                  (x(static_cast<std::size_t>(a), d) + x(static_cast<std::size_t>(b), d)) / 2)
            << element_type_name(c.element) << " edge " << e;
      }
  }
}

TEST_F(Gmsh, MixedMeshesKeepAllTheirVolumeCells) {
  const VolumeMesh mesh = read(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 0 1 "
      "1\n$EndNodes\n"
      "$Elements\n2\n1 6 2 3 1 1 2 3 4 5 6\n2 4 2 4 2 1 2 3 4\n$EndElements\n");
  ASSERT_EQ(mesh.blocks.size(), 2U);  // in order of type, regions going along
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[1].type, ElementType::wedge6);
  EXPECT_EQ(mesh.regions[0].name, "volume 3");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{1, 0}));
}

TEST_F(Gmsh, ErrorsNameLineAndEntity) {
  expect_error(replaced(version_2, "2.2 0 8", "2.2 1 8"), {"m.txt: byte 77", "byte order should be 1"});
  expect_error(replaced(version_2, "2.2 0 8", "2.2 1 4"), {"m.txt:5", "numbers of 4 bytes"});
  expect_error(replaced(version_2, "2.2 0 8", "3 0 8"), {"m.txt:5", "version '3'", "4.1"});
  expect_error(replaced(version_2, "2.2 0 8", "1.0 0 8"), {"version '1.0'"});
  expect_error(replaced(version_2, "20 7 40 1000000000000", "20 7 40 12"), {"m.txt:25", "element 4 has node 12"});
  expect_error(replaced(version_2, "20 7 40 1000000000000", "20 7 40"),
               {"m.txt:25", "ends before a node of element 4"});
  expect_error(replaced(version_2, "10 20 7 40\n", "10 20 7 40 40\n"), {"m.txt:24", "more than 4 nodes"});
  expect_error(replaced(version_2, "4 4 3 9", "4 4 3 -9223372036854775808"), {"m.txt:25", "out of range"});
  expect_error(replaced(version_2, "4 4 3 9", "4 12 3 9"), {"m.txt:25", "27-node hexahedron", "order"});
  expect_error(replaced(version_2, "4 4 3 9", "4 4711 3 9"), {"m.txt:25", "type 4711"});
  expect_error(replaced(version_2, "7 0 1 0\n", "10 0 1 0\n"), {"m.txt:16", "node 10 is defined a second time"});
  expect_error(replaced(version_2, "20 1 0 0", "20 1 x 0"), {"m.txt:15", "'x'", "node 20"});
  expect_error(replaced(version_2, "$Nodes\n5", "$Nodes\n6"), {"'$EndNodes' comes where node 6 should be"});
  expect_error(replaced(version_2, "$Nodes\n5", "$Nodes\n4"), {"more nodes than announced"});
  expect_error(replaced(version_2, "$Elements\n4", "$Elements\n99999999999999"), {"lines are missing"});
  expect_error(replaced(version_2, "$Elements\n4", "$Elements\n-4"), {"should not be negative"});
  expect_error(replaced(version_2, "$EndNodeData\n", ""), {"ends without $EndNodeData"});
  expect_error(replaced(version_2, "2 1 \"held #1\"", "2 1 held"), {"quotation marks"});
  expect_error(version_2.substr(0, version_2.find("$Nodes")), {"no $Nodes"});
  expect_error(version_2.substr(0, version_2.find("3 4 2 5")), {"cut short"});
  expect_error("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n", {"before the nodes"});
  expect_error(replaced(version_4, "$Nodes\n2 5", "$Nodes\n2 6"), {"announces 6 nodes, but the blocks have 5"});
  expect_error(replaced(version_4, "$Elements\n4 4", "$Elements\n4 5"),
               {"announces 5 elements, but the blocks have 4"});
  expect_error(replaced(version_4, "$Nodes\n2 5 7 1000000000000\n", "$Nodes\n"), {"m.txt:"});
  expect_error(replaced(version_4, "3 2 4 1\n", "2 2 4 1\n"), {"dimension 2 can't hold elements of type tet4"});
}

// ---- binary files -----------------------------------------------------------------------------------------------

const std::string gmsh_names = "$PhysicalNames\n2\n2 1 \"held #1\"\n3 5 \"stiff part\"\n$EndPhysicalNames\n";

// The sample with node 8 for the large number, which 32 bits don't hold.
std::string binary_2(bool swapped, const std::string& newline = "\n") {
  GmshBytes file(swapped);
  file.text("$MeshFormat\n2.2 1 8\n").ints({1}).text(newline + "$EndMeshFormat\n" + gmsh_names + "$Nodes\n5\n");
  file.ints({10}).doubles({0, 0, 0}).ints({20}).doubles({1, 0, 0}).ints({7}).doubles({0, 1, 0});
  file.ints({40}).doubles({0, 0, 1}).ints({8}).doubles({1, 1, 1}).text(newline + "$EndNodes\n$Elements\n4\n");
  file.ints({15, 1, 2, 1, 0, 1, 10});
  file.ints({2, 1, 2, 2, 1, 3, 10, 7, 20});
  file.ints({4, 2, 2, 3, 5, 1, 10, 20, 7, 40, 4, 9, 2, 20, 7, 40, 8}).text(newline + "$EndElements\n");
  return file.string();
}

std::string binary_4(bool swapped, const std::string& newline = "\n") {
  GmshBytes file(swapped);
  file.text("$MeshFormat\n4.1 1 8\n").ints({1}).text(newline + "$EndMeshFormat\n" + gmsh_names + "$Entities\n");
  file.sizes({1, 0, 1, 2});
  file.ints({1}).doubles({0, 0, 0}).sizes({0});
  file.ints({3}).doubles({0, 0, 0, 1, 1, 0}).sizes({1}).ints({-1}).sizes({0});
  file.ints({1}).doubles({0, 0, 0, 1, 1, 1}).sizes({1}).ints({5}).sizes({2}).ints({3, -4});
  file.ints({2}).doubles({0, 0, 0, 1, 1, 1}).sizes({1}).ints({9}).sizes({0});
  file.text(newline + "$EndEntities\n$Nodes\n").sizes({2, 5, 7, 1000000000000});
  file.ints({2, 3, 0}).sizes({3, 10, 20, 7}).doubles({0, 0, 0, 1, 0, 0, 0, 1, 0});
  file.ints({3, 1, 1}).sizes({2, 40, 1000000000000}).doubles({0, 0, 1, .5, .5, .5, 1, 1, 1, .5, .5, .5});
  file.text(newline + "$EndNodes\n$Elements\n").sizes({4, 4, 1, 4});
  file.ints({0, 1, 15}).sizes({1, 1, 10}).ints({2, 3, 2}).sizes({1, 2, 10, 7, 20});
  file.ints({3, 1, 4}).sizes({1, 3, 10, 20, 7, 40}).ints({3, 2, 4}).sizes({1, 4, 20, 7, 40, 1000000000000});
  file.text(newline + "$EndElements\n$NodeData\n").ints({-1, 36}).text("\n$EndNodeData\n");
  return file.string();
}

TEST_F(Gmsh, BinaryFilesOfEitherByteOrderAreTheSameMesh) {
  for (const bool swapped : {false, true})
    for (const char* newline : {"\n", "", "\r\n"}) {  // some tools put none behind binary data
      SCOPED_TRACE(std::to_string(swapped) + newline);
      expect_gmsh_sample(read(binary_2(swapped, newline)));
      expect_gmsh_sample(read(binary_4(swapped, newline)));
    }
}

// As Gmsh 4.15 writes them with Mesh.SaveParametric: one number on curves, two on surfaces, none in volumes.
TEST_F(Gmsh, BinaryParametricNodesOfVersion2) {
  GmshBytes file(false);
  file.text("$MeshFormat\n2.2 1 8\n").ints({1}).text("\n$EndMeshFormat\n$ParametricNodes\n4\n");
  file.ints({1}).doubles({0, 0, 0}).ints({0, 5}).ints({2}).doubles({1, 0, 0}).ints({1, 6}).doubles({.25});
  file.ints({3}).doubles({0, 1, 0}).ints({2, 7}).doubles({.5, .75}).ints({4}).doubles({0, 0, 1}).ints({3, 8});
  file.text("\n$EndParametricNodes\n$Elements\n1\n").ints({4, 1, 0, 1, 1, 2, 3, 4}).text("\n$EndElements\n");
  const VolumeMesh mesh = read(file.string());
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(mesh.blocks.at(0).vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(Gmsh, BinaryErrorsNameTheByte) {
  const std::string good = binary_4(false);
  const auto nodes = good.find("$Nodes\n") + 7;
  std::string lying = good;
  lying[nodes + 8 + 6] = 'x';  // the number of nodes
  expect_error(lying, {"m.txt: byte", "announces", "nodes, but the blocks have 5"});
  lying = good;
  lying[nodes + 32 + 12 + 5] = 1;  // the first block's: 2^40 more
  expect_error(lying, {"m.txt: byte " + std::to_string(nodes + 32 + 12 + 8), "1099511627779 nodes need at least 24"});
  expect_error(good.substr(0, nodes + 60), {"m.txt: byte", "cut short"});
  std::string unknown = binary_2(false);
  unknown[unknown.find("$EndElements") - 5] = 77;
  expect_error(unknown, {"m.txt: byte", "element 4 has node 77"});
}

// Version 1 and version 4.0 as text.
TEST_F(Gmsh, OlderVersions) {
  const VolumeMesh one = read(
      "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n"
      "$ELM\n3\n1 2 3 1 3 1 2 3\n2 4 5 1 4 1 2 3 4\n3 4 0 1 4 1 2 3 4\n$ENDELM\n");
  EXPECT_EQ(one.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(one.regions.at(0).name, "volume 5");
  EXPECT_EQ(one.vertex_sets.at("surface 3"), (std::vector<std::int32_t>{0, 1, 2}));
  expect_error("$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 4 5 1 3 1 1 1\n$ENDELM\n",
               {"m.txt:7", "element 1 (tet4) has 3 nodes instead of 4"});
  const VolumeMesh four = read(
      "$MeshFormat\n4 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 5 \"stiff part\"\n$EndPhysicalNames\n"
      "$Entities\n1 0 0 1\n1 0 0 0 0 0 0 0\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n"
      "$Nodes\n2 4\n1 0 0 1\n7 0 0 0\n1 3 1 3\n9 1 0 0 .5 .5 .5\n3 0 1 0 0 0 0\n1 0 0 1 0 0 0\n$EndNodes\n"
      "$Elements\n1 1\n1 3 4 1\n1 7 9 3 1\n$EndElements\n");
  EXPECT_EQ(four.vertices, one.vertices);
  EXPECT_EQ(four.regions.at(0).name, "stiff part");
  EXPECT_EQ(four.blocks.at(0).vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(four.element_region, std::vector<std::int32_t>{0});
}

// Points of a CAD model are blocks of one node each: room must not be made anew for each.
TEST_F(Gmsh, ManySmallBlocksTakeLinearTime) {
  constexpr int blocks = 200000;  // copied each time, these would be half a terabyte
  std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(blocks) + " " + std::to_string(blocks) + "\n";
  for (int b = 1; b <= blocks; ++b)
    text += "0 " + std::to_string(b) + " 0 1\n" + std::to_string(b) + "\n" + std::to_string(b % 7) + " 0 " +
            std::to_string(b % 5) + "\n";
  text += "$EndNodes\n$Elements\n1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
  EXPECT_EQ(read(text).vertex_count(), blocks);
}

// A surface in one group a thousand times over has its vertices once.
TEST_F(Gmsh, RepeatedGroupsCountOnce) {
  std::string tags;
  for (int t = 0; t < 1000; ++t) tags += " -1";
  const VolumeMesh mesh = read(replaced(version_4, "3 0 0 0 1 1 0 1 -1 0", "3 0 0 0 1 1 0 1000" + tags + " 0"));
  expect_gmsh_sample(mesh);
}

// Ids at both ends of the range follow each other when they wrap round.
TEST_F(Gmsh, IdsAtTheEndsOfTheRange) {
  const VolumeMesh mesh = read(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n9223372036854775807 0 0 0\n-9223372036854775808 1 0 0\n5 0 1 "
      "0\n"
      "6 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 9223372036854775807 -9223372036854775808 5 6\n$EndElements\n");
  EXPECT_EQ(mesh.blocks.at(0).vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(Gmsh, TruncatedBinaryFilesAreRefused) {
  for (const std::string& file : {binary_2(false), binary_4(true)}) {
    const std::size_t end = file.find("$EndElements") + 12;
    for (std::size_t size = 0; size < end; ++size) EXPECT_THROW((void)read(file.substr(0, size)), ParseError) << size;
  }
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(Gmsh, SurvivesDamage) {
  std::mt19937_64 engine(5);
  DamagedReads damaged;
  for (const std::string& file : {version_2, version_4, binary_2(false), binary_4(true)})
    for (int n = 0; n < 400; ++n) {
      std::string text = file;
      for (auto times = 1 + engine() % 3; times > 0; --times) {
        const std::size_t at = engine() % text.size();
        constexpr std::string_view telling = "0123456789+-.e \n$\"\xFF";
        switch (engine() % 4) {
          case 0:
            text.erase(at, 1 + engine() % 20);
            break;
          case 1:
            text.resize(at + 1);
            break;
          case 2:
            text.insert(at, text.substr(engine() % text.size(), engine() % 40));
            break;
          default:
            text[at] = telling[engine() % telling.size()];
        }
        if (text.empty()) break;
      }
      damaged.take([&] { return read(text); });
    }
  EXPECT_GT(damaged.read, 10);
  EXPECT_GT(damaged.refused, 300);
}

// ---- reference data --------------------------------------------------------------------------------------------

TEST(GmshData, PublicMeshesHaveTheirCountsAndVolumes) {
  QUARTIC_NEED_DATA(index, "public/INDEX.tsv");
  std::ifstream table(index);
  int read_count = 0;
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    if (columns.size() < 7 || !columns[0].ends_with(".msh") || columns[4] == "-") continue;
    SCOPED_TRACE(columns[0]);
    const VolumeMesh mesh = read_mesh(index.parent_path() / columns[0]);
    EXPECT_EQ(mesh.vertex_count(), std::stoll(columns[4]));
    std::map<std::string, std::int64_t> expected, found = mesh.skipped;
    std::istringstream counts(columns[5]);
    for (std::string count; counts >> count;) {
      const auto colon = count.find(':');
      std::string name = count.substr(0, colon);
      const std::map<std::string, std::string> ours = {
          {"tet", "tet4"}, {"hex", "hex8"}, {"wedge", "wedge6"}, {"pyramid", "pyramid5"}};
      if (ours.count(name) > 0) name = ours.at(name);
      expected[name] = std::stoll(count.substr(colon + 1));
    }
    for (const ElementBlock& block : mesh.blocks) found[std::string(element_type_name(block.type))] = block.count();
    EXPECT_EQ(found, expected);
    const auto volume = columns[6].find("| volume ");
    // Of curved elements the index has the volume between corners.
    const bool all_measured = mesh.blocks.size() == 1 && mesh.blocks[0].type == ElementType::tet4;
    if (all_measured && volume != std::string::npos) {
      const double exact = std::stod(columns[6].substr(volume + 9));
      EXPECT_NEAR(check_mesh(mesh).volume, exact, 1e-5 * exact);  // six digits are printed
    }
    ++read_count;
  }
  EXPECT_GE(read_count, 18);
}

// The same mesh in both versions, as text and binary. The writers printed 16 digits.
TEST(GmshData, FourTwinsAreEqual) {
  QUARTIC_NEED_DATA(folder, "public/mujoco");
  const VolumeMesh first = read_mesh(folder / "cube_22_ascii_vol_gmshApp.msh");
  for (const char* name : {"cube_22_binary", "cube_41_ascii", "cube_41_binary"}) {
    const VolumeMesh twin = read_mesh(folder / (std::string(name) + "_vol_gmshApp.msh"));
    ASSERT_EQ(twin.vertices.size(), first.vertices.size());
    for (std::size_t i = 0; i < first.vertices.size(); ++i) EXPECT_NEAR(twin.vertices[i], first.vertices[i], 1e-15);
    EXPECT_EQ(twin.blocks.at(0).vertices, first.blocks.at(0).vertices);
  }
}

TEST(GmshData, TwinsAreEqual) {
  QUARTIC_NEED_DATA(folder, "public");
  const VolumeMesh two = read_mesh(folder / "polyfem-data/22_ascii.msh");
  const VolumeMesh four = read_mesh(folder / "polyfem-data/41_ascii.msh");
  EXPECT_EQ(two.regions.size(), 3U);
  EXPECT_EQ(four.regions.size(), 3U);
  EXPECT_NEAR(check_mesh(two).volume, check_mesh(four).volume, 1e-15);
  EXPECT_EQ(two.element_region, four.element_region);
}

TEST(GmshData, TrickyFilesBehaveAsTheLogSays) {
  QUARTIC_NEED_DATA(folder, "tricky");
  for (const char* name : {"b01_crlf.msh", "b03_gapped_tags.msh", "b05_binary_no_newlines.msh"}) {
    const MeshReport report = check_mesh(read_mesh(folder / name));
    EXPECT_NEAR(report.volume, 1, 1e-14) << name;
    EXPECT_EQ(report.inverted, 0) << name;
    EXPECT_EQ(read_mesh(folder / name).vertex_count(), 8) << name;
  }
  const VolumeMesh tet10 = read_mesh(folder / "b41_tet10.msh");
  ASSERT_EQ(tet10.blocks[0].type, ElementType::tet10);
  EXPECT_NEAR(check_mesh(tet10).volume, 1.0 / 6, 1e-15);
  const auto v = tet10.blocks[0].element(0);
  for (const auto& [middle, a, b] : {std::array{8, 1, 3}, {9, 2, 3}})
    for (std::size_t c = 0; c < 3; ++c) {
      const auto x = [&](int n) {
        return tet10.vertices[3 * static_cast<std::size_t>(v[static_cast<std::size_t>(n)]) + c];
      };
      EXPECT_EQ(x(middle), (x(a) + x(b)) / 2);
    }
  EXPECT_THROW((void)read_mesh(folder / "b25_undefined_node.msh"), ParseError);
  try {
    (void)read_mesh(folder / "b25_undefined_node.msh");
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find(":20: element 4 has node 12"), std::string::npos) << error.what();
  }
}

TEST(GmshData, MalformedFilesAreRefused) {
  QUARTIC_NEED_DATA(folder, "public/mujoco");
  for (const char* name : {"malformed_cube_22_ascii_missing_element.msh", "malformed_cube_22_ascii_missing_node.msh",
                           "malformed_cube_41_ascii_missing_node_header.msh"})
    EXPECT_THROW((void)read_mesh(folder / name), ParseError) << name;
}

}  // namespace
}  // namespace quartic
