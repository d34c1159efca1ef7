// Medit's .mesh files as text.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::MeshReading;
using test::replaced_all;

// Two tetrahedra and a pyramid; references 5, -2 and 0; triangles 3 and 0, an edge 4, one vertex of its own reference.
const std::string medit_sample = R"(# by hand
MeshVersionFormatted 2
Dimension
3
Vertices # with references
7
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1.0D+00 9
1 1 1 0
1 1 0 0
.5 .5 -1e0 0
Corners
2
1
4
Edges
1
1 2 4
Triangles
2
1 3 2 3
1 2 4 0
Tetrahedra
2
1 2 3 4 5
2 3 4 5 -2
Pyramids
1
1 2 6 3 7 0
End
what comes here is no part of the mesh: Tetrahedra 1
)";

class Medit : public MeshReading {};

void expect_medit_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, .5, .5, -1}));
  ASSERT_EQ(mesh.blocks.size(), 2U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(mesh.blocks[1].type, ElementType::pyramid5);
  EXPECT_EQ(mesh.blocks[1].vertices, (std::vector<std::int32_t>{0, 1, 5, 2, 6}));
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "5");
  EXPECT_EQ(mesh.regions[1].name, "-2");
  EXPECT_FALSE(mesh.regions[0].material);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, -1}));
  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, std::vector<std::int32_t>>{
                                  {"point 9", {3}}, {"curve 4", {0, 1}}, {"surface 3", {0, 1, 2}}}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"line", 1}, {"tri", 2}}));
}

TEST_F(Medit, ReferencesBecomeRegionsAndSets) {
  const VolumeMesh mesh = read(medit_sample);
  expect_medit_sample(mesh);
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST_F(Medit, TakesWhatToolsWrite) {
  std::string one_line = replaced_all(replaced_all(medit_sample, "# by hand\n", ""), "# with references", "");
  one_line = replaced_all(one_line, "\n", " ");
  const std::string variants[] = {
      replaced_all(medit_sample, "\n", "\r\n"),
      replaced_all(medit_sample, "\n", "\r"),
      replaced_all(medit_sample, "\n", "\n\n \t"),
      replaced_all(medit_sample, " ", "\t "),
      "\xEF\xBB\xBF" + medit_sample,
      one_line,
      replaced_all(medit_sample, "Dimension\n3", "Dimension 3"),
      replaced_all(medit_sample, "MeshVersionFormatted 2", "MeshVersionFormatted\n1"),
      replaced_all(medit_sample, "Tetrahedra\n2\n", "tetrahedra 2 # cells\n"),
      medit_sample.substr(0, medit_sample.find("\nEnd")),  // neither End nor a last newline
      replaced_all(medit_sample, "Corners\n2\n1\n4\n", ""),
      replaced_all(medit_sample, "Corners\n", "RequiredVertices\n"),
      replaced_all(medit_sample, "Corners\n2\n1\n4\n", "Normals\n1\n0 0 1e0\nNormalAtVertices\n1\n1 1\nTriangles\n0\n"),
      replaced_all(medit_sample, "Corners\n2\n1\n4\n", "Identifier \"two Tetrahedra 1\"\nRidges 0\n"),
  };
  for (const std::string& variant : variants) {
    SCOPED_TRACE(variant);
    const VolumeMesh mesh = read(variant);
    expect_medit_sample(mesh);
    EXPECT_EQ(mesh.warnings.empty(), variant.find("Identifier") == std::string::npos);
  }
}

TEST_F(Medit, SectionsMayComeInAnyOrder) {
  const auto begin = medit_sample.find("Tetrahedra\n2"), end = medit_sample.find("Pyramids");
  const std::string tetrahedra = medit_sample.substr(begin, end - begin);
  expect_medit_sample(
      read(replaced_all(replaced_all(medit_sample, tetrahedra, ""), "Dimension", tetrahedra + "Dimension")));
}

TEST_F(Medit, SectionsOfOneKindAddUp) {
  expect_medit_sample(
      read(replaced_all(medit_sample, "Tetrahedra\n2\n1 2 3 4 5\n", "Tetrahedra 1 1 2 3 4 5 Tetrahedra 1\n")));
}

TEST_F(Medit, ReferencesMayBeMissing) {
  const VolumeMesh mesh =
      read(replaced_all(replaced_all(medit_sample, "2 3 4 5 -2", "2 3 4 5"), "1 2 3 4 5\n", "1 2 3 4\n"));
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_TRUE(mesh.regions.empty());
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{-1, -1, -1}));
}

// Many programs write 1 for every vertex.
TEST_F(Medit, OneReferenceForAllVerticesIsNoSet) {
  const std::string same =
      replaced_all(replaced_all(medit_sample.substr(0, medit_sample.find("Corners")), " 0\n", " 1\n"), " 9\n", " 1\n") +
      "Tetrahedra 1\n1 2 3 4 1\n";
  EXPECT_TRUE(read(same).vertex_sets.empty());
}

TEST_F(Medit, UnknownSectionsAreNamed) {
  const VolumeMesh mesh = read(replaced_all(medit_sample, "Corners", "Shininess"));
  expect_medit_sample(mesh);
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("line 14: the section 'Shininess'"), std::string::npos) << mesh.warnings[0];
}

TEST_F(Medit, MissingDimensionIsThree) {
  const VolumeMesh mesh = read(replaced_all(medit_sample, "Dimension\n3\n", ""));
  expect_medit_sample(mesh);
  EXPECT_EQ(mesh.warnings.size(), 1U);
}

TEST_F(Medit, OtherElements) {
  const VolumeMesh mesh = read(R"(MeshVersionFormatted 2 Dimension 3
Vertices 8  0 0 0 0  1 0 0 0  1 1 0 0  0 1 0 0  0 0 1 0  1 0 1 0  1 1 1 0  0 1 1 0
Quadrilaterals 1  1 4 3 2 6
Hexahedra 1  1 2 3 4 5 6 7 8 1
Prisms 1  1 2 3 5 6 7 1
)");
  ASSERT_EQ(mesh.blocks.size(), 2U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::hex8);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(mesh.blocks[1].type, ElementType::wedge6);
  EXPECT_EQ(mesh.blocks[1].vertices, (std::vector<std::int32_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(mesh.vertex_sets.at("surface 6"), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.skipped.at("quad"), 1);
}

// The ten vertices in the order in which Gmsh 4.15 writes them, on edges of different length.
const std::string quadratic = R"(MeshVersionFormatted 2
Dimension 3
Vertices
10
0 0 0 0
2 0 0 0
0 4 0 0
0 0 6 0
1 0 0 0
1 2 0 0
0 2 0 0
0 0 3 0
1 0 3 0
0 2 3 0
TrianglesP2
1
1 2 3 5 6 7 1
TetrahedraP2
1
1 2 3 4 5 6 7 8 9 10 7
)";
// The middles of the edges 0-1, 0-2, 0-3, 1-2, 1-3, 2-3.
const std::string order = R"(TetrahedraP2Ordering
10
2 0 0 0
0 2 0 0
0 0 2 0
0 0 0 2
1 1 0 0
1 0 1 0
1 0 0 1
0 1 1 0
0 1 0 1
0 0 1 1
)";

// Each middle vertex lies in the middle of its edge in VTK's order.
void expect_middles(const VolumeMesh& mesh) {
  constexpr std::size_t edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  ASSERT_EQ(mesh.blocks.size(), 1U);
  ASSERT_EQ(mesh.blocks[0].type, ElementType::tet10);
  const auto element = mesh.blocks[0].element(0);
  const auto at = [&](std::size_t v, std::size_t c) {
    return mesh.vertices[3 * static_cast<std::size_t>(element[v]) + c];
  };
  for (std::size_t e = 0; e < 6; ++e)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(at(4 + e, c), (at(edges[e][0], c) + at(edges[e][1], c)) / 2) << e;
}

TEST_F(Medit, QuadraticTetrahedra) {
  const VolumeMesh mesh = read(quadratic);
  expect_middles(mesh);
  EXPECT_EQ(mesh.skipped.at("tri6"), 1);
  EXPECT_EQ(mesh.regions.at(0).name, "7");
}

TEST_F(Medit, QuadraticTetrahedraInAnOrderOfTheirOwn) {
  const std::string permuted = replaced_all(quadratic, "1 2 3 4 5 6 7 8 9 10 7", "1 2 3 4 5 7 8 6 9 10 7");
  expect_middles(read(permuted + order));  // behind the elements
  expect_middles(read(replaced_all(permuted, "Vertices", order + "Vertices")));
  expect_error(permuted + replaced_all(order, "0 0 1 1", "0 1 1 0"), {"TetrahedraP2Ordering should have 10 rows"});
  expect_error(permuted + replaced_all(order, "0 0 1 1", "0 0 0 1"), {"TetrahedraP2Ordering should have 10 rows"});
  expect_error(permuted + replaced_all(order, "0 0 1 1", "0 0 1"), {"TetrahedraP2Ordering should have 10 rows"});
}

TEST_F(Medit, ErrorsNameLineAndEntity) {
  expect_error(replaced_all(medit_sample, "2 3 4 5 -2", "2 3 4 8 -2"),
               {"m.txt:28: tetrahedron 2 has vertex 8, but the file has 7 vertices, counted from 1"});
  expect_error(replaced_all(medit_sample, "2 3 4 5 -2", "0 3 4 5 -2"), {"m.txt:28: tetrahedron 2 has vertex 0"});
  expect_error(replaced_all(medit_sample, "1 3 2 3", "1 3 9 3"), {"m.txt:23: triangle 1 has vertex 9"});
  expect_error(replaced_all(medit_sample, "2 3 4 5 -2", "2 3.5 4 5 -2"), {"m.txt:28: tetrahedron 2 has '3.5'"});
  expect_error(replaced_all(medit_sample, "2 3 4 5 -2", "2 3 4 5 0.5"),
               {"m.txt:28: tetrahedron 2 has '0.5'", "reference"});
  expect_error(replaced_all(medit_sample, "2 3 4 5 -2", "2 3 4 5"),
               {"m.txt:25: Tetrahedra: 2 rows of 4 numbers and a reference", "9 numbers follow up to 'Pyramids'"});
  expect_error(medit_sample.substr(0, medit_sample.find("2 3 4 5 -2") + 4),
               {"Tetrahedra: 2 rows", "7 numbers", "cut short?"});
  expect_error(replaced_all(medit_sample, "1 1 1 0\n", "1 1 nan 0\n"), {"m.txt:5: Vertices: 7 rows", "up to 'nan'"});
  expect_error(replaced_all(medit_sample, "1 1 1 0\n", "1 1 1,5 0\n"),
               {"m.txt:11: a vertex's coordinate should be a number"});
  expect_error(replaced_all(medit_sample, "Vertices # with references\n7", "Vertices\n9223372036854775807"),
               {"m.txt:5: Vertices"});
  expect_error(replaced_all(medit_sample, "Vertices # with references\n7", "Vertices\n-1"), {"should not be negative"});
  expect_error(replaced_all(medit_sample, "Corners", "Vertices"), {"m.txt:14: a second section Vertices"});
  expect_error(replaced_all(medit_sample, "Dimension\n3", "Dimension\n2"), {"m.txt:4: the mesh has 2 dimensions"});
  expect_error(replaced_all(medit_sample, "Vertices #", "Edges 0 #"), {"the file has no Vertices"});
}

TEST_F(Medit, WhatCantBeUsedIsNamed) {
  expect_error(replaced_all(medit_sample, "Pyramids\n1\n1 2 6 3 7 0", "HexahedraQ2\n1\n1"),
               {"elements HexahedraQ2 can't be used"});
  expect_medit_sample(read(replaced_all(medit_sample, "Corners", "HexahedraQ2 0 Corners")));  // none of them
  const auto surface = medit_sample.substr(0, medit_sample.find("Tetrahedra"));
  expect_error(surface, {"no volume elements", "1 of type line, 2 of type tri", "Gmsh, TetGen or fTetWild"});
  expect_error(surface.substr(0, surface.find("Corners")), {"the file has no elements"});
  // The beginnings of binary files in both byte orders.
  expect_error(std::string("\1\0\0\0\2\0\0\0\3\0\0\0\x18\0\0\0\3\0\0\0", 20), {"binary Medit mesh", "meshio convert"});
  expect_error(std::string("\0\0\0\1\0\0\0\4\0\0\0\3\0\0\0\0\0\0\0\x18\0\0\0\3", 24), {"binary Medit mesh"});
}

TEST_F(Medit, CutAnywhereIsAMeshOrAnError) {
  for (const std::string& text : {medit_sample, quadratic + order})
    for (std::size_t length = 0; length < text.size(); ++length) {
      try {
        const VolumeMesh mesh = read(text.substr(0, length));
        (void)check_mesh(mesh);
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    }
}

TEST_F(Medit, ReferenceMeshes) {
  struct Expected {
    std::string name;
    std::int64_t vertices, tetrahedra, hexahedra;
    double volume;
  };
  const Expected all[] = {{"public/sfepy/beam_h5t12.mesh", 32, 12, 5, 0.007},
                          {"public/sfepy/beam_t42.mesh", 32, 42, 0, 0.007},
                          {"public/sfepy/cube_medium_hexa.mesh", 1331, 0, 1000, 1},
                          {"public/polyfem-data/square_beam.mesh", 739, 2886, 0, 40000},
                          {"tricky/b17_no_triangles.mesh", 8, 5, 0, 1}};
  for (const Expected& expected : all) {
    QUARTIC_NEED_DATA(file, expected.name);
    const VolumeMesh mesh = read_mesh(file);
    std::map<ElementType, std::int64_t> counts;
    for (const ElementBlock& block : mesh.blocks) counts[block.type] = block.count();
    EXPECT_EQ(mesh.vertex_count(), expected.vertices) << expected.name;
    EXPECT_EQ(counts[ElementType::tet4], expected.tetrahedra) << expected.name;
    EXPECT_EQ(counts[ElementType::hex8], expected.hexahedra) << expected.name;
    EXPECT_TRUE(mesh.warnings.empty()) << expected.name;
    // The sum of many small volumes: round-off only.
    EXPECT_NEAR(check_mesh(mesh).volume, expected.volume, 1e-10 * expected.volume) << expected.name;
  }
}

}  // namespace
}  // namespace quartic
