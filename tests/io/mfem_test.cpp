// MFEM's .mesh files.
#include <gtest/gtest.h>

#include <array>
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

// A brick, a pyramid on it and two tetrahedra; attributes 3 and 1; boundary attributes 2 and 7.
const std::string mfem_sample = R"(MFEM mesh v1.0

#
# MFEM Geometry Types (see fem/geom.hpp):
# SEGMENT     = 1
#

dimension
3

elements
4
3 5 0 1 2 3 4 5 6 7
1 7 4 5 6 7 8
3 4 0 1 3 9
3 4 1 2 3 9

boundary
3
2 3 0 1 5 4
7 2 4 5 8
2 3 2 3 7 6

vertices
10
3
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
.5 .5 2.0e0
.5 .5 -1
)";
const std::vector<double> positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0,  1,  0, 0,  0,  1,
                                       1, 0, 1, 1, 1, 1, 0, 1, 1, .5, .5, 2, .5, .5, -1};

class Mfem : public MeshReading {};

void expect_mfem_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, positions);
  ASSERT_EQ(mesh.blocks.size(), 3U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 3, 9, 1, 2, 3, 9}));
  EXPECT_EQ(mesh.blocks[1].type, ElementType::hex8);
  EXPECT_EQ(mesh.blocks[1].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(mesh.blocks[2].type, ElementType::pyramid5);
  EXPECT_EQ(mesh.blocks[2].vertices, (std::vector<std::int32_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 0, 0, 1}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"quad", 2}, {"tri", 1}}));
  EXPECT_TRUE(mesh.warnings.empty());
}

void expect_numbered_sample(const VolumeMesh& mesh) {
  expect_mfem_sample(mesh);
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "3");
  EXPECT_EQ(mesh.regions[1].name, "1");
  EXPECT_FALSE(mesh.regions[0].material);
  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, std::vector<std::int32_t>>{{"surface 2", {0, 1, 2, 3, 4, 5, 6, 7}},
                                                                                {"surface 7", {4, 5, 8}}}));
}

TEST_F(Mfem, AttributesBecomeRegionsAndSets) {
  const std::string variants[] = {
      mfem_sample,
      replaced_all(mfem_sample, "\n", "\r\n"),
      replaced_all(mfem_sample, "\n", "\r"),
      replaced_all(mfem_sample, "\n\n", "\n \t\n# a comment\n\n"),
      "\xEF\xBB\xBF" + mfem_sample,
      mfem_sample.substr(0, mfem_sample.size() - 1),
      replaced_all(mfem_sample, "v1.0", "v1.1"),
      replaced_all(mfem_sample, "v1.0", "v1.2") + "\n\nmfem_mesh_end\n\nwhat follows is no part of the mesh\n",
      replaced_all(mfem_sample, "v1.0", "v1.3") + "mfem_mesh_end",
  };
  for (const std::string& variant : variants) {
    SCOPED_TRACE(variant);
    expect_numbered_sample(read(variant));
  }
}

TEST_F(Mfem, SetsNameRegionsAndVertexSets) {
  std::string named = replaced_all(replaced_all(mfem_sample, "v1.0", "v1.3"), "boundary", R"(attribute_sets
3
"all of it" 2 1 3
"soft # part"
1
3
hard 1 1

boundary)");
  named = replaced_all(named, "vertices\n", "bdr_attribute_sets 2\n\"top\" 1 7\n\"no face\" 1 12\nvertices\n");
  const VolumeMesh mesh = read(named + "mfem_mesh_end\n");
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "soft # part");
  EXPECT_EQ(mesh.regions[1].name, "hard");
  EXPECT_EQ(mesh.vertex_sets, (std::map<std::string, std::vector<std::int32_t>>{{"surface 2", {0, 1, 2, 3, 4, 5, 6, 7}},
                                                                                {"top", {4, 5, 8}}}));
  expect_mfem_sample(mesh);
  const VolumeMesh twice = read(replaced_all(named, "attribute_sets\n3", "attribute_sets\n4 \"stiff\" 1 1"));
  EXPECT_EQ(twice.regions.at(1).name, "stiff");
  ASSERT_EQ(twice.warnings.size(), 1U);
  EXPECT_NE(twice.warnings[0].find("several names"), std::string::npos) << twice.warnings[0];
  expect_error(replaced_all(named, "\"soft # part\"", "\"soft # part"),
               {"m.txt:21: a set's name has no second quotation mark"});

  // A set of both attributes names neither: they may be of different materials.
  const VolumeMesh one = read(replaced_all(mfem_sample, "boundary", "attribute_sets 1 \"body\" 2 1 3 boundary"));
  ASSERT_EQ(one.regions.size(), 2U);
  EXPECT_EQ(one.element_region, mesh.element_region);
  EXPECT_NE(one.regions[0].name, "body");
}

// The sample with its coordinates as a function, all x first (0) or vertex by vertex (1).
std::string with_nodes(const std::string& space, int ordering) {
  std::string text = mfem_sample.substr(0, mfem_sample.find("vertices\n")) +
                     "vertices\n10\n\nnodes\nFiniteElementSpace\n" + "FiniteElementCollection: " + space +
                     "\nVDim: 3\nOrdering: " + std::to_string(ordering) + "\n\n";
  for (std::size_t i = 0; i < 30; ++i)
    text += std::to_string(ordering == 1 ? positions[i] : positions[i % 10 * 3 + i / 10]) + "\n";
  return text;
}

TEST_F(Mfem, NodesOfFirstOrder) {
  for (const char* space : {"H1_3D_P1", "Linear", "H1@G_3D_P1"})
    for (const int ordering : {0, 1}) expect_numbered_sample(read(with_nodes(space, ordering)));
}

TEST_F(Mfem, CurvedAndTornMeshesAreRefused) {
  expect_error(with_nodes("H1_3D_P2", 1), {"the mesh is curved", "'H1_3D_P2'", "Mesh::SetCurvature"});
  expect_error(with_nodes("Quadratic", 1), {"the mesh is curved", "'Quadratic'"});
  expect_error(with_nodes("L2_T1_3D_P1", 1), {"periodic or torn", "'L2_T1_3D_P1'", "Mesh::SetCurvature"});
  expect_error(with_nodes("H1_2D_P1", 1), {"H1_2D_P1"});
  expect_error(replaced_all(with_nodes("H1_3D_P1", 1), "VDim: 3", "VDim: 2"), {"m.txt:30: nodes have another number"});
  expect_error(replaced_all(with_nodes("H1_3D_P1", 1), "Ordering: 1", "Ordering: 2"), {"Ordering should be 0 or 1"});
  const std::string whole = with_nodes("H1_3D_P1", 1);
  expect_error(whole.substr(0, whole.size() - 12), {"the file ends where a node's coordinate should be"});
  expect_error(whole.substr(0, whole.find("nodes\n")), {"the vertices have no coordinates"});
  expect_error(mfem_sample + whole.substr(whole.find("nodes\n")), {"coordinates twice"});
}

TEST_F(Mfem, OtherKindsAreNamed) {
  expect_error("MFEM NC mesh v1.0\n\ndimension\n3\n", {"m.txt:1: a non-conforming MFEM mesh"});
  expect_error("MFEM NURBS mesh v1.0\n\ndimension\n3\n", {"NURBS", "Mesh::SetCurvature(1)"});
  expect_error("MFEM INLINE mesh v1.0\n\ntype = hex\n", {"INLINE"});
  expect_error("MFEM mesh v2.0\n\ndimension\n3\n", {"version 'v2.0'", "v1.0 to v1.3 can"});
  expect_error(replaced_all(mfem_sample, "boundary", "vertex_parents\n1\n2 0 1\nboundary"),
               {"not conforming", "vertex_parents"});
  expect_error(mfem_sample + "mfem_mesh_end\n\ncommunication_groups\nnumber_of_groups 4\n",
               {"parallel mesh", "SaveAsOne"});
  expect_error(replaced_all(mfem_sample, "dimension\n3", "dimension\n2"), {"m.txt:9: the mesh has 2 dimensions"});
  expect_error(replaced_all(mfem_sample, "10\n3\n", "10\n2\n"), {"m.txt:26: vertices have 2 coordinates"});
}

TEST_F(Mfem, ErrorsNameLineAndEntity) {
  expect_error(replaced_all(mfem_sample, "3 4 1 2 3 9", "3 4 1 2 3 10"),
               {"m.txt:16: element 3 (tetrahedron) has vertex 10, but the file has 10 vertices, counted from 0"});
  expect_error(replaced_all(mfem_sample, "7 2 4 5 8", "7 2 4 -5 8"),
               {"m.txt:21: boundary element 1 (triangle) has vertex -5"});
  expect_error(replaced_all(mfem_sample, "7 2 4 5 8", "7 4 4 5 8 1"),
               {"m.txt:21: boundary element 1 is a tetrahedron"});
  expect_error(replaced_all(mfem_sample, "3 4 1 2 3 9", "3 8 1 2 3 9"), {"m.txt:16: element 3 is of geometry 8"});
  expect_error(replaced_all(mfem_sample, "3 4 1 2 3 9", "3 4 1 2 3"), {"element 3 (tetrahedron) has 'boundary'"});
  expect_error(replaced_all(mfem_sample, "3 4 1 2 3 9", "3 4 1 2 3 9 9"), {"m.txt:16: a section", "'9'"});
  expect_error(replaced_all(mfem_sample, "elements\n4", "elements\n5"), {"an element's attribute", "'boundary'"});
  expect_error(replaced_all(mfem_sample, "elements\n4", "elements\n9223372036854775807"),
               {"m.txt:12: 9223372036854775807 elements"});
  expect_error(replaced_all(mfem_sample, "1 1 1\n", "1 1 x\n"), {"m.txt:33: a vertex's coordinate", "'x'"});
  expect_error(replaced_all(mfem_sample, "10\n3\n", "9000000000000000000\n3\n"),
               {"the file ends where a vertex's coordinate"});
  expect_error(mfem_sample.substr(0, mfem_sample.find("vertices")), {"no vertices"});
  expect_error(mfem_sample + "vertices\n0\n3\n", {"a second section vertices"});
  expect_error(replaced_all(mfem_sample,
                            mfem_sample.substr(mfem_sample.find("elements"),
                                               mfem_sample.find("boundary") - mfem_sample.find("elements")),
                            ""),
               {"no volume elements", "2 of type quad, 1 of type tri"});
}

TEST_F(Mfem, CutAnywhereIsAMeshOrAnError) {
  for (const std::string& text : {mfem_sample, with_nodes("H1_3D_P1", 0)})
    for (std::size_t length = 0; length < text.size(); ++length) {
      try {
        (void)check_mesh(read(text.substr(0, length)));
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    }
}

// A prism, which the sample doesn't have, wound as MFEM's own meshes are.
TEST_F(Mfem, Prisms) {
  const VolumeMesh mesh = read(
      "MFEM mesh v1.0\ndimension\n3\nelements\n1\n1 6 0 1 2 3 4 5\nboundary\n0\nvertices\n6\n3\n"
      "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n");
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::wedge6);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace quartic
