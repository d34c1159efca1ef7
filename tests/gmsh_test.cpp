// Gmsh's .msh files as text, versions 2.2 and 4.1.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "support.hpp"

namespace quartic {
namespace {

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

class Gmsh : public testing::Test {
 protected:
  VolumeMesh read(const std::string& content) const {
    std::ofstream(folder_ / "m.txt", std::ios::binary) << content;  // the name says nothing
    return read_mesh(folder_ / "m.txt");
  }
  void expect_error(const std::string& content, const std::vector<std::string>& parts) const {
    try {
      (void)read(content);
      ADD_FAILURE() << "was read";
    } catch (const ParseError& error) {
      for (const std::string& part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  test::TemporaryFolder folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(from);
  return text.replace(at, from.size(), to);
}

void expect_sample(const VolumeMesh& mesh) {
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
  expect_sample(read(version_2));
  expect_sample(read(version_4));
}

TEST_F(Gmsh, LineEndsAndByteOrderMarksDontMatter) {
  for (const std::string& file : {version_2, version_4}) {
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : file) windows += c == '\n' ? std::string("\t\r\n") : std::string(1, c);
    expect_sample(read(windows));
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
  expect_error(replaced(version_2, "2.2 0 8", "2.2 1 8"), {"m.txt:5", "binary", "-bin 0"});
  expect_error(replaced(version_2, "2.2 0 8", "4 0 8"), {"m.txt:5", "version '4'", "4.1"});
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
  expect_error(replaced(version_2, "$Nodes\n5", "$Nodes\n6"), {"'$EndNodes' comes where node 6 of 6 should be"});
  expect_error(replaced(version_2, "$Nodes\n5", "$Nodes\n4"), {"more nodes than announced"});
  expect_error(replaced(version_2, "$Elements\n4", "$Elements\n99999999999999"), {"lines are missing"});
  expect_error(replaced(version_2, "$Elements\n4", "$Elements\n-4"), {"should not be negative"});
  expect_error(replaced(version_2, "$EndNodeData\n", ""), {"ends without $EndNodeData"});
  expect_error(replaced(version_2, "2 1 \"held #1\"", "2 1 held"), {"quotation marks"});
  expect_error(version_2.substr(0, version_2.find("$Nodes")), {"no $Nodes"});
  expect_error(version_2.substr(0, version_2.find("3 4 2 5")), {"cut short"});
  expect_error("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n", {"before $Nodes"});
  expect_error(replaced(version_4, "$Nodes\n2 5", "$Nodes\n2 6"), {"announces 6 nodes, but the blocks have 5"});
  expect_error(replaced(version_4, "$Elements\n4 4", "$Elements\n4 5"),
               {"announces 5 elements, but the blocks have 4"});
  expect_error(replaced(version_4, "$Nodes\n2 5 7 1000000000000\n", "$Nodes\n"), {"m.txt:"});
  expect_error(replaced(version_4, "3 2 4 1\n", "2 2 4 1\n"), {"dimension 2 can't hold elements of type tet4"});
  expect_error(replaced(version_4, "$Entities", "$PartitionedEntities"), {"partitioned"});
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(Gmsh, SurvivesDamage) {
  std::mt19937_64 engine(5);
  int read_count = 0, refused = 0;
  for (const std::string& file : {version_2, version_4})
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
      try {
        const VolumeMesh mesh = read(text);
        for (const ElementBlock& block : mesh.blocks)
          for (const auto v : block.vertices) ASSERT_TRUE(v >= 0 && v < mesh.vertex_count());
        for (const auto& [name, set] : mesh.vertex_sets)
          for (const auto v : set) ASSERT_TRUE(v >= 0 && v < mesh.vertex_count());
        ASSERT_EQ(std::ssize(mesh.element_region), mesh.element_count());
        for (const auto region : mesh.element_region) ASSERT_LT(region, std::ssize(mesh.regions));
        ++read_count;
      } catch (const Error&) {
        ++refused;
      }
    }
  EXPECT_GT(read_count, 10);
  EXPECT_GT(refused, 300);
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
    const bool is_text = columns[3].find("ascii") != std::string::npos;
    if (!is_text) {
      EXPECT_THROW((void)read_mesh(index.parent_path() / columns[0]), ParseError);
      continue;
    }
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
    const bool all_measured = mesh.blocks.size() == 1 &&
                              (mesh.blocks[0].type == ElementType::tet4 || mesh.blocks[0].type == ElementType::tet10);
    if (all_measured && volume != std::string::npos) {
      const double exact = std::stod(columns[6].substr(volume + 9));
      EXPECT_NEAR(check_mesh(mesh).volume, exact, 1e-5 * exact);  // six digits are printed
    }
    ++read_count;
  }
  EXPECT_GE(read_count, 9);
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
  for (const char* name : {"b01_crlf.msh", "b03_gapped_tags.msh"}) {
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
  for (const char* name : {"b05_binary_no_newlines.msh", "b25_undefined_node.msh"})
    EXPECT_THROW((void)read_mesh(folder / name), ParseError) << name;
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
