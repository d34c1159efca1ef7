// Gmsh files of meshes that are cut into partitions: one file for all, or one for each.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/gmsh_bytes.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::GmshBytes;
using test::MeshReading;
using test::replaced;

using Indices = std::vector<std::int32_t>;

const std::string partition_names = "$PhysicalNames\n2\n2 1 \"held\"\n3 5 \"body\"\n$EndPhysicalNames\n";

// Two tetrahedra of one group in two partitions, whose ghosts would be the volumes 8 and 9. The second element is also
// there as a ghost of the first partition, as Gmsh writes into the file of a partition alone.
const std::string partitioned = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + partition_names + R"($Entities
1 0 1 1
7 0 0 0 0
1 0 0 0 1 1 0 1 1 0
1 0 0 0 1 1 1 1 5 0
$EndEntities
$PartitionedEntities
2
2
8 1
9 2
1 0 1 2
8 0 7 2 1 2 0 0 0 0
2 2 1 1 1 0 0 0 1 1 0 1 1 0
2 3 1 1 1 0 0 0 1 1 1 1 5 0
3 3 1 1 2 0 0 0 1 1 1 1 5 1 -2
$EndPartitionedEntities
$Nodes
2 5 1 5
3 2 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
3 3 0 1
5
1 1 1
$EndNodes
$Elements
4 4 1 4
2 2 2 1
1 1 3 2
3 2 4 1
2 1 2 3 4
3 3 4 1
3 2 3 4 5
3 8 4 1
3 2 3 4 5
$EndElements
$GhostElements
1
3 2 1 1
$EndGhostElements
)";

std::string binary_partitioned(bool swapped) {
  GmshBytes file(swapped);
  file.text("$MeshFormat\n4.1 1 8\n").ints({1}).text("\n$EndMeshFormat\n" + partition_names + "$Entities\n");
  file.sizes({1, 0, 1, 1}).ints({7}).doubles({0, 0, 0}).sizes({0});
  file.ints({1}).doubles({0, 0, 0, 1, 1, 0}).sizes({1}).ints({1}).sizes({0});
  file.ints({1}).doubles({0, 0, 0, 1, 1, 1}).sizes({1}).ints({5}).sizes({0});
  file.text("\n$EndEntities\n$PartitionedEntities\n").sizes({2, 2}).ints({8, 1, 9, 2}).sizes({1, 0, 1, 2});
  file.ints({8, 0, 7}).sizes({2}).ints({1, 2}).doubles({0, 0, 0}).sizes({0});
  file.ints({2, 2, 1}).sizes({1}).ints({1}).doubles({0, 0, 0, 1, 1, 0}).sizes({1}).ints({1}).sizes({0});
  file.ints({2, 3, 1}).sizes({1}).ints({1}).doubles({0, 0, 0, 1, 1, 1}).sizes({1}).ints({5}).sizes({0});
  file.ints({3, 3, 1}).sizes({1}).ints({2}).doubles({0, 0, 0, 1, 1, 1}).sizes({1}).ints({5}).sizes({1}).ints({-2});
  file.text("\n$EndPartitionedEntities\n$Nodes\n").sizes({2, 5, 1, 5});
  file.ints({3, 2, 0}).sizes({4, 1, 2, 3, 4}).doubles({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  file.ints({3, 3, 0}).sizes({1, 5}).doubles({1, 1, 1}).text("\n$EndNodes\n$Elements\n").sizes({4, 4, 1, 4});
  file.ints({2, 2, 2}).sizes({1, 1, 1, 3, 2}).ints({3, 2, 4}).sizes({1, 2, 1, 2, 3, 4});
  file.ints({3, 3, 4}).sizes({1, 3, 2, 3, 4, 5}).ints({3, 8, 4}).sizes({1, 3, 2, 3, 4, 5});
  return file.text("\n$EndElements\n$GhostElements\n").ints({-1}).text("\n$EndGhostElements\n").string();
}

class GmshPartition : public MeshReading {};

void expect_partition_sample(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].vertices, (Indices{0, 1, 2, 3, 1, 2, 3, 4}));  // each once
  ASSERT_EQ(mesh.regions.size(), 1U);
  EXPECT_EQ(mesh.regions[0].name, "body");
  EXPECT_EQ(mesh.element_region, (Indices{0, 0}));
  EXPECT_EQ(mesh.vertex_sets.at("held"), (Indices{0, 1, 2}));
  EXPECT_TRUE(mesh.warnings.empty()) << mesh.warnings.front();
}

TEST_F(GmshPartition, PartitionsAreReadAsOneMeshWithoutGhosts) {
  expect_partition_sample(read(partitioned));
  expect_partition_sample(read(binary_partitioned(false)));
  expect_partition_sample(read(binary_partitioned(true)));
}

// Points have boxes there.
TEST_F(GmshPartition, Version4_0) {
  std::string text = replaced(partitioned, "4.1 0 8", "4.0 0 8");
  text = replaced(text, "7 0 0 0 0\n", "7 0 0 0 0 0 0 0\n");
  text = replaced(text, "8 0 7 2 1 2 0 0 0 0\n", "8 0 7 2 1 2 0 0 0 0 0 0 0\n");
  text = replaced(text, "2 5 1 5\n3 2 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 3 0 1\n5\n1 1 1\n",
                  "2 5\n2 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n3 3 0 1\n5 1 1 1\n");
  text = replaced(text, "4 4 1 4\n2 2 2 1\n1 1 3 2\n3 2 4 1\n", "4 4\n2 2 2 1\n1 1 3 2\n2 3 4 1\n");
  expect_partition_sample(read(replaced(text, "\n3 8 4 1\n", "\n8 3 4 1\n")));
}

TEST_F(GmshPartition, AFileOfOnePartitionSaysSo) {
  const std::string one = replaced(replaced(partitioned, "4 4 1 4\n", "3 3 1 3\n"), "3 3 4 1\n3 2 3 4 5\n", "");
  const VolumeMesh mesh = read(one);
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].vertices, (Indices{0, 1, 2, 3}));
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("the elements of 1 of the mesh's 2 partitions"), std::string::npos)
      << mesh.warnings[0];
}

TEST_F(GmshPartition, DamageIsNamed) {
  expect_error(replaced(partitioned, "\n2\n2\n8 1\n", "\n-2\n2\n8 1\n"),
               {"m.txt:16", "the number of partitions should not be negative"});
  expect_error(replaced(partitioned, "\n2\n2\n8 1\n", "\n2\n-2\n8 1\n"),
               {"m.txt:17", "the number of ghost entities should not be negative"});
  expect_error(replaced(partitioned, "\n2\n2\n8 1\n", "\n2\n9223372036854775807\n8 1\n"), {"m.txt:"});
  expect_error(replaced(partitioned, "8 0 7 2 1 2", "8 0 7 -2 1 2"), {"m.txt:21", "number of partitions"});
  expect_error(replaced(partitioned, "8 0 7 2 1 2", "8 0 7 99999 1 2"), {"m.txt:21"});
  expect_error(replaced(partitioned, "3 8 4 1\n3 2 3 4 5", "3 8 4 1\n3 2 3 4 6"), {"element 3 has node 6"});
  const std::string binary = binary_partitioned(false);
  for (std::size_t size = 0; size < binary.find("$EndElements"); ++size)
    EXPECT_THROW((void)read(binary.substr(0, size)), ParseError) << size;
}

TEST_F(GmshPartition, ReferenceFile) {
  QUARTIC_NEED_DATA(file, "turn2/t29_partitioned.msh");
  const VolumeMesh mesh = read_mesh(file);
  EXPECT_EQ(mesh.vertex_count(), 12);
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::hex8);
  EXPECT_EQ(mesh.blocks[0].count(), 2);
  ASSERT_EQ(mesh.regions.size(), 1U);
  EXPECT_EQ(mesh.regions[0].name, "body");
  EXPECT_EQ(mesh.vertex_sets.at("clamp").size(), 4U);
  EXPECT_NEAR(check_mesh(mesh).volume, 2, 1e-14);
  EXPECT_TRUE(mesh.warnings.empty());
}

}  // namespace
}  // namespace quartic
