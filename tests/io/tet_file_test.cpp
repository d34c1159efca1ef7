// Isaac Gym's .tet files.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
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

const std::string tet_file_sample = R"(# Tetrahedral mesh generated using fTetWild
v 0 0 0
v 1.0 0 0
v 0 1e0 0 # a comment
v 0 0 1.0D+00
v 1 1 1

t 0 1 2 3
t 1 2 3 4
)";

class TetFile : public MeshReading {};

void expect_tet_file_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{-1, -1}));
  EXPECT_TRUE(mesh.regions.empty() && mesh.vertex_sets.empty() && mesh.skipped.empty());
}

TEST_F(TetFile, TakesWhatToolsWrite) {
  const std::string tetrahedra = "t 0 1 2 3\nt 1 2 3 4\n";
  const std::string variants[] = {
      tet_file_sample,
      replaced_all(tet_file_sample, "\n", "\r\n"),
      replaced_all(tet_file_sample, "\n", "\r"),
      replaced_all(tet_file_sample, " ", "\t "),
      replaced_all(tet_file_sample, "\n", " \n\n"),
      "\xEF\xBB\xBF" + tet_file_sample,
      tetrahedra + replaced_all(tet_file_sample, tetrahedra, ""),  // before their vertices
      replaced_all(tet_file_sample, "\nt 0", "t 0"),
  };
  for (const std::string& variant : variants) {
    SCOPED_TRACE(variant);
    const VolumeMesh mesh = read(variant);
    expect_tet_file_sample(mesh);
    EXPECT_TRUE(mesh.warnings.empty());
  }
  const VolumeMesh unfinished = read(tet_file_sample.substr(0, tet_file_sample.size() - 1));
  expect_tet_file_sample(unfinished);
  ASSERT_EQ(unfinished.warnings.size(), 1U);
  EXPECT_NE(unfinished.warnings[0].find("may be cut"), std::string::npos);
}

TEST_F(TetFile, NumbersFromOneAreRepairedWhereNothingElseFits) {
  const VolumeMesh mesh =
      read(replaced_all(replaced_all(tet_file_sample, "t 1 2 3 4", "t 2 3 4 5"), "t 0 1 2 3", "t 1 2 3 4"));
  expect_tet_file_sample(mesh);
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("counted from 1"), std::string::npos) << mesh.warnings[0];
  // Vertex 0 unused, as it may be.
  EXPECT_TRUE(read(replaced_all(tet_file_sample, "t 0 1 2 3\n", "")).warnings.empty());
}

TEST_F(TetFile, ErrorsNameLineAndEntity) {
  expect_error(replaced_all(tet_file_sample, "t 1 2 3 4", "t 1 2 3 5"),
               {"m.txt:9: tetrahedron 1 has vertex 5, but the file has 5 vertices, counted from 0"});
  expect_error(replaced_all(tet_file_sample, "t 1 2 3 4", "t 1 2 -3 4"), {"m.txt:9: tetrahedron 1 has vertex -3"});
  expect_error(replaced_all(tet_file_sample, "t 0 1 2 3", "t 0 1 2 3 4"),
               {"m.txt:8: tetrahedron 0 has more than 4 vertices"});
  expect_error(replaced_all(tet_file_sample, "t 1 2 3 4", "t 1 2 3"),
               {"m.txt:9: tetrahedron 1 has fewer than 4 vertices"});
  expect_error(replaced_all(tet_file_sample, "t 1 2 3 4", "t 1 2 3 4.5"),
               {"m.txt:9: tetrahedron 1: '4.5' is not a vertex's number"});
  expect_error(replaced_all(tet_file_sample, "v 1 1 1", "v 1 1"), {"m.txt:6: vertex 4 has fewer than 3 coordinates"});
  expect_error(replaced_all(tet_file_sample, "v 1 1 1", "v 1,5 1,5 1"),
               {"m.txt:6: vertex 4 has more than 3 coordinates"});
  expect_error(replaced_all(tet_file_sample, "v 1 1 1", "v 1 1 nan"), {"m.txt:6: vertex 4: 'nan' is not a number"});
  expect_error(replaced_all(tet_file_sample, "v 1 1 1", "w 1 1 1"),
               {"m.txt:6: a line should start with v", "'w 1 1 1'"});
  expect_error(replaced_all(tet_file_sample, "t 1 2 3 4", "t 1 2 3 9223372036854775807"),
               {"m.txt:9: tetrahedron 1 has vertex 9"});
}

TEST_F(TetFile, SurfacesAreNotMistakenForIt) {
  expect_error(replaced_all(tet_file_sample, "t ", "f "), {"OBJ"});
  expect_error(tet_file_sample + "f 1 2 3\n", {"OBJ"});
  expect_error(tet_file_sample.substr(0, tet_file_sample.find("t 0")), {"OBJ"});
}

TEST_F(TetFile, CutAnywhereIsAMeshOrAnError) {
  for (std::size_t length = 0; length < tet_file_sample.size(); ++length) {
    try {
      (void)check_mesh(read(tet_file_sample.substr(0, length)));
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST_F(TetFile, ReferenceMesh) {
  QUARTIC_NEED_DATA(file, "public/isaacgym/icosphere.tet");
  const VolumeMesh mesh = read_mesh(file);
  EXPECT_EQ(mesh.vertex_count(), 162);
  EXPECT_EQ(mesh.element_count(), 427);
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.inverted, 0);
  EXPECT_NEAR(report.volume, 4.04704, 5e-6);  // as many digits as the other reader's result has
}

}  // namespace
}  // namespace quartic
