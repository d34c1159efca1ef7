// Mesh readers and writers: what real tools write is read, and what is damaged is refused with file, line and entity.
#include <clocale>
#include <fstream>
#include <locale>
#include <sstream>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::TemporaryFolder;

const char* const cube5_vertices = R"(*VERTICES
8 3 0 0
1 0 0 0
2 1 0 0
3 0 1 0
4 1 1 0
5 0 0 1
6 1 0 1
7 0 1 1
8 1 1 1
)";
const char* const cube5_elements = R"(*ELEMENTS
TET
5 4 0
1 2 3 5 8
2 1 2 3 5
3 4 3 2 8
4 6 2 5 8
5 7 5 3 8
)";
const char* const body = "*MATERIAL BODY\nENU, 1000, 1e6, 0.3\n*REGION\nallElements, BODY\n";

class Readers : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  VolumeMesh read(const std::string& text) { return read_mesh(write("mesh.veg", text)); }

  /// Expects a ParseError whose message contains the file's place and every one of `parts`.
  template <class Call>
  void expect_error(const Call& call, const std::vector<std::string>& parts) {
    try {
      call();
      FAIL() << "no error; expected one with: " << parts.front();
    } catch (const ParseError& error) {
      for (const std::string& part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
  }
  void expect_veg_error(const std::string& text, const std::vector<std::string>& parts) {
    expect_error([&] { (void)read(text); }, parts);
  }

  TemporaryFolder folder_;
};

std::string cube5() {
  return std::string(cube5_vertices) + cube5_elements + body;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

void expect_cube5(const VolumeMesh& mesh) {
  ASSERT_EQ(mesh.vertex_count(), 8);
  ASSERT_EQ(mesh.blocks.size(), 1u);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices,
            (std::vector<std::int32_t>{1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7}));
  for (std::size_t v = 0; v < 8; ++v)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(mesh.vertices[3 * v + c], (v >> c) & 1) << v << " " << c;
}

void expect_same(const VolumeMesh& a, const VolumeMesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.element_region, b.element_region);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].type, b.blocks[i].type);
    EXPECT_EQ(a.blocks[i].vertices, b.blocks[i].vertices);
  }
  ASSERT_EQ(a.regions.size(), b.regions.size());
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    EXPECT_EQ(a.regions[i].name, b.regions[i].name);
    ASSERT_EQ(a.regions[i].material.has_value(), b.regions[i].material.has_value());
    if (!a.regions[i].material) continue;
    EXPECT_EQ(a.regions[i].material->youngs_modulus, b.regions[i].material->youngs_modulus);
    EXPECT_EQ(a.regions[i].material->poissons_ratio, b.regions[i].material->poissons_ratio);
    EXPECT_EQ(a.regions[i].material->density, b.regions[i].material->density);
  }
}

// ---- .veg --------------------------------------------------------------------------------------------------

TEST_F(Readers, ParseErrorsKnowFileAndLine) {
  const std::filesystem::path path = write("zero.veg", "*VERTICES\n1 3\n1 0 0 zero\n");
  try {
    (void)read_mesh(path);
    FAIL() << "a vertex at zero was read";
  } catch (const ParseError& error) {
    const ParseError copy = error;
    EXPECT_EQ(copy.file(), path.string());
    EXPECT_EQ(copy.line(), 3);
    EXPECT_EQ(std::string(copy.what()).find(path.string() + ":3: "), 0U);
  }
  EXPECT_EQ(ParseError("model.qrt", 0, "cut short").line(), 0);
}

TEST_F(Readers, VegBasics) {
  const VolumeMesh mesh = read(cube5());
  expect_cube5(mesh);
  EXPECT_EQ(mesh.element_region, std::vector<std::int32_t>(5, 0));
  ASSERT_EQ(mesh.regions.size(), 1u);
  EXPECT_EQ(mesh.regions[0].name, "allElements");
  ASSERT_TRUE(mesh.regions[0].material);
  EXPECT_EQ(mesh.regions[0].material->density, 1000);
  EXPECT_EQ(mesh.regions[0].material->youngs_modulus, 1e6);
  EXPECT_EQ(mesh.regions[0].material->poissons_ratio, 0.3);
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST_F(Readers, VegTakesWhatToolsWrite) {
  const VolumeMesh plain = read(cube5());
  const std::string variants[] = {
      replaced(cube5(), "\n", "\r\n"),                         // Windows
      replaced(cube5(), "\n", "\r"),                           // old Macintosh
      replaced(cube5(), "\n", "\n\n \t\n"),                    // blank lines everywhere
      replaced(cube5(), "\n", " # a comment\n# *VERTICES\n"),  // comments everywhere
      replaced(cube5(), " ", "\t"),                            // tabs
      replaced(cube5(), " ", ",  "),                           // commas
      "\xEF\xBB\xBF" + cube5(),                                // byte order mark
      cube5().substr(0, cube5().size() - 1),                   // no newline at the end
      replaced(replaced(cube5(), "1 3 0 0", "1 3 0 0"), "TET", "TETS"),
      replaced(replaced(cube5(), "*VERT", "*vert"), "ENU", "enu"),
      replaced(replaced(cube5(), " 1 0 0\n", " 1.0D+00 +0.d0 .0d-3\n"), "1e6", "0.1d+7"),  // Fortran
      std::string(body) + cube5_elements + cube5_vertices,                                 // any order of sections
      replaced(cube5(), "8 3 0 0", "8"),
  };
  for (const std::string& text : variants) {
    SCOPED_TRACE(text.substr(0, 60));
    expect_same(read(text), plain);
  }
}

TEST_F(Readers, VegZeroBased) {
  const VolumeMesh mesh = read(
      "*VERTICES\n4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n*ELEMENTS\nTET\n1 4 0\n0 0 1 2 3\n*SET all\n0\n"
      "*MATERIAL m\nENU, 1, 2, 0.25\n*REGION\nall, m\n");
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.element_region, std::vector<std::int32_t>{0});
}

TEST_F(Readers, VegGappedVertexNumbers) {
  const VolumeMesh mesh = read(
      "*VERTICES\n4 3 0 0\n48 0 0 0\n7 1 0 0\n99 0 1 0\n9000000000000000000 0 0 1\n"
      "*ELEMENTS\nTET\n1 4 0\n1 48 7 99 9000000000000000000\n");
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
  expect_veg_error("*VERTICES\n2 3 0 0\n48 0 0 0\n7 1 0 0\n*ELEMENTS\nTET\n1 4 0\n1 48 7 8 48\n",
                   {"mesh.veg:8: tetrahedron 1 has vertex 8, but the file has 2 vertices and none of that number"});
}

TEST_F(Readers, VegMixedElements) {
  const std::string text =
      "*VERTICES\n9 3 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 .5 .5 2\n"
      "*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 6 7 8\n*ELEMENTS\nTET\n2 4 0\nA 5 6 7 9\nB 5 7 8 9\n"
      "*SET cube\n1\n*SET roof\n2, 3\n*MATERIAL m\nENU, 1, 2, 0.25\n*REGION\ncube, m\n*REGION\nroof, m\n";
  // Ids that go on, and ids that start anew in each section: sets count through all rows of the file either way.
  for (const auto& [a, b] : {std::pair("2", "3"), std::pair("1", "2")}) {
    const VolumeMesh mesh = read(replaced(replaced(text, "A ", std::string(a) + " "), "B ", std::string(b) + " "));
    ASSERT_EQ(mesh.blocks.size(), 2u);
    EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
    EXPECT_EQ(mesh.blocks[0].count(), 2);
    EXPECT_EQ(mesh.blocks[1].type, ElementType::hex8);
    EXPECT_EQ(mesh.blocks[1].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{1, 1, 0}));
  }
}

TEST_F(Readers, VegRegionsOverrideAndLeaveGaps) {
  const VolumeMesh mesh =
      read(std::string(cube5_vertices) + cube5_elements +
           "*MATERIAL soft one\nENU, 1000, 1e5, 0.3\n*MATERIAL hard\nENU 2000 1e7 0.3\n"
           "*REGION\nleft, soft one\n*SET left\n1,2,\n*SET right\n2,\n3,,4,\n*REGION\nright hard\n");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 1, 1, -1}));
  EXPECT_EQ(mesh.regions[0].name, "left");
  EXPECT_EQ(mesh.regions[1].name, "right");
  EXPECT_EQ(mesh.regions[1].material->density, 2000);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("1 element is in more than one region"), std::string::npos);
  EXPECT_NE(mesh.warnings[0].find("left, then right"), std::string::npos);
}

TEST_F(Readers, VegIncludes) {
  std::filesystem::create_directory(folder_ / "parts");
  write("parts/vertices.txt", cube5_vertices);
  write("parts/more.txt", "3, 4\n*INCLUDE last.txt\n");
  write("parts/last.txt",
        "\xEF\xBB\xBF"
        "5 # the last one\r\n");
  const VolumeMesh mesh = read(std::string("*INCLUDE parts/vertices.txt\n") + cube5_elements +
                               "*SET a\n1\n*INCLUDE \"parts/more.txt\"\n*MATERIAL m\nENU, 1, 2, 0.25\n*REGION\na, m\n");
  expect_cube5(mesh);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, -1, 0, 0, 0}));
  EXPECT_EQ(mesh.source_files,
            (std::vector<std::filesystem::path>{folder_ / "mesh.veg", folder_ / "parts/last.txt",
                                                folder_ / "parts/more.txt", folder_ / "parts/vertices.txt"}));

  write("parts/broken.txt", "1\nx\n");
  expect_veg_error(cube5() + "*SET s\n*INCLUDE parts/broken.txt\n", {"broken.txt:2:", "'x' is not an element's index"});
  write("circle.txt", "*INCLUDE mesh.veg\n");
  expect_veg_error(cube5() + "*INCLUDE circle.txt\n", {"circle.txt:1:", "goes round in a circle"});
  expect_veg_error(cube5() + "*INCLUDE\n", {"*INCLUDE needs a file name"});
  try {
    (void)read(cube5() + "*INCLUDE nowhere.txt\n");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("mesh.veg:23: *INCLUDE: can't read"), std::string::npos) << error.what();
  }
}

TEST_F(Readers, VegErrorsSayWhere) {
  expect_veg_error(replaced(cube5(), "4 6 2 5 8", "4 6 2 5 9"),
                   {"mesh.veg:17: tetrahedron 4 has vertex 9, but the file has 8 vertices"});
  expect_veg_error(replaced(cube5(), "4 6 2 5 8", "4 6 2 5 -8"), {"mesh.veg:17: tetrahedron 4 has vertex -8"});
  expect_veg_error(replaced(cube5(), "4 6 2 5 8", "4 6 2 5"), {":17: tetrahedron 4 has 3 vertices instead of 4"});
  expect_veg_error(replaced(cube5(), "4 6 2 5 8", "4 6 2 x 8"), {":17: tetrahedron 4: 'x' is not a number"});
  expect_veg_error(replaced(cube5(), "4 6 2 5 8", "3 6 2 5 8"), {":17: element 3 is defined a second time"});
  expect_veg_error(replaced(cube5(), "5 4 0", "6 4 0"), {"announces 6 elements", "only 5"});
  expect_veg_error(replaced(cube5(), "5 4 0", "4 4 0"), {":18: there are more rows than the 4 elements"});
  expect_veg_error(replaced(cube5(), "5 4 0", "5 10 0"), {":13: elements should have 4 numbers each"});
  expect_veg_error(replaced(cube5(), "8 3 0 0", "9223372036854775807 3 0 0"),
                   {"announces 9223372036854775807 vertices"});
  expect_veg_error(replaced(cube5(), "8 3 0 0", "99999999999999999999 3 0 0"), {":2: vertices should be a number"});
  expect_veg_error(replaced(cube5(), "8 3 0 0", "-8 3 0 0"), {":2: vertices should be a number from 0 on"});
  expect_veg_error(replaced(cube5(), "8 3 0 0", "8 2 0 0"), {":2: vertices should have 3 numbers each"});
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 0"), {":7: vertex 5 has 2 coordinates instead of 3"});
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 10.0-1 1"), {":7: vertex 5: '10.0-1' is not a number"});
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 nan 1"), {":7: vertex 5: 'nan' is not a number"});
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 0,5 1"), {":7: vertex 5 has more numbers"});  // decimal comma
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 inf 1"), {"'inf' is not a number"});
  expect_veg_error(replaced(cube5(), "5 0 0 1", "5 0 1e999 1"), {"'1e999' is not a number"});
  expect_veg_error(replaced(cube5(), "TET", "PRISM"), {":12: elements of type 'PRISM' can't be read"});
  expect_veg_error(replaced(cube5(), "ENU, 1000, 1e6, 0.3", "ENU, 1000, 1e6"), {":20:", "has 2 numbers"});
  expect_veg_error(replaced(cube5(), "1e6", "1e6x"), {":20:", "'1e6x' is not a number"});
  expect_veg_error(replaced(cube5(), "allElements, BODY", "nowhere, BODY"), {":22:", "set 'nowhere'"});
  expect_veg_error(replaced(cube5(), "allElements, BODY", "allElements"), {":22:", "a set and a material"});
  expect_veg_error(cube5() + "*SET s\n1, 6\n*REGION\ns, BODY\n", {":24: set 's' has element 6, but the file has 5"});
  expect_veg_error(cube5() + cube5_vertices, {":23: a second *VERTICES section"});
  expect_veg_error(cube5_vertices, {"there is no *ELEMENTS section"});
  expect_veg_error(std::string(cube5_elements) + body, {"there is no *VERTICES section"});
}

TEST_F(Readers, VegMaterialThatCannotBeUsedLeavesTheRegionWithoutOne) {
  const auto expect_warning = [this](const std::string& text, const std::string& warning) {
    const VolumeMesh mesh = read(text);
    ASSERT_EQ(mesh.regions.size(), 1u);
    EXPECT_FALSE(mesh.regions[0].material.has_value());
    ASSERT_EQ(mesh.warnings.size(), 1u);
    EXPECT_NE(mesh.warnings[0].find(warning), std::string::npos) << mesh.warnings[0];
  };
  expect_warning(replaced(cube5(), "ENU, 1000", "ORTHOTROPIC, 1000"), ":20: material 'BODY' is of kind 'ORTHOTROPIC'");
  expect_warning(replaced(cube5(), "ENU, 1000", "MOONEYRIVLIN, 1000, -2,"), "'MOONEYRIVLIN', but quartic takes");
  expect_warning(replaced(cube5(), "allElements, BODY", "allElements, IRON"),
                 ":22: region 'allElements' has material 'IRON'");
}

TEST_F(Readers, VegMooneyRivlinBecomesTheLaw) {
  const std::string text = replaced(cube5(), "ENU, 1000", "MOONEYRIVLIN, 1000");
  const std::size_t first = text.find("MOONEYRIVLIN"), end = text.find('\n', first);
  const VolumeMesh mesh = read(text.substr(0, first) + "MOONEYRIVLIN, 1000, 1e5, 3e5, 2e6" + text.substr(end));
  ASSERT_TRUE(mesh.regions.at(0).material.has_value());
  const Material& material = *mesh.regions[0].material;
  EXPECT_EQ(material.law, MaterialLaw::mooney_rivlin);
  EXPECT_EQ(material.density, 1000);
  EXPECT_NEAR(material.mooney_share, 0.25, 1e-15);
  EXPECT_NEAR(lame_mu(material), 8e5, 1e-8);
  EXPECT_NEAR(lame_lambda(material) + lame_mu(material) * 2 / 3, 4e6, 1e-7);  // bulk modulus 2 v1
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("withstands inversion"), std::string::npos);
}

TEST_F(Readers, VegUnusedForeignMaterialIsNoError) {
  const VolumeMesh mesh = read(cube5() + "*MATERIAL wood\nORTHOTROPIC, 1, 2, 3, 4, 5\n");
  EXPECT_EQ(mesh.regions.size(), 1u);
}

TEST_F(Readers, VegCutShortAnywhereNeverCrashes) {
  const std::string text = cube5() + "*SET s\n1, 2\n*REGION\ns, BODY\n";
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      (void)read(text.substr(0, length));
    } catch (const Error&) {
    }
  }
  // Elements and vertices are complete only once their last row is there.
  const auto vertices_end = text.find("*ELEMENTS"), elements_end = text.find("*MATERIAL");
  for (std::size_t length = 0; length < elements_end - 2; ++length)
    EXPECT_THROW((void)read(text.substr(0, length)), InputError) << length << " of " << vertices_end;
}

TEST_F(Readers, NumbersKeepEveryBit) {
  const double values[] = {0.1,
                           1.0 / 3,
                           5e-324,
                           2.2250738585072011e-308,
                           1.7976931348623157e308,
                           -0.0,
                           1e22,
                           123456789012345678.0,
                           0x1.fffffffffffffp-1};
  VolumeMesh mesh = read(cube5());
  for (std::size_t i = 0; i < std::size(values); ++i) mesh.vertices[i] = values[i];
  mesh.regions[0].material = Material{.youngs_modulus = 1e6 / 3, .poissons_ratio = 0.1 + 0.2, .density = 1e3 / 7};
  write_veg(mesh, folder_ / "bits.veg");
  const VolumeMesh again = read_mesh(folder_ / "bits.veg");
  expect_same(mesh, again);
  EXPECT_TRUE(std::signbit(again.vertices[5]));
  const VolumeMesh tiny = read(replaced(cube5(), "5 0 0 1", "5 1e-400 -1e-400 1"));
  EXPECT_EQ(tiny.vertices[12], 0);
}

TEST_F(Readers, WriteVegKeepsRegions) {
  VolumeMesh mesh = read(cube5());
  const Material material{.youngs_modulus = 1, .poissons_ratio = 0.25, .density = 3};
  mesh.regions = {{"left", material}, {"empty", material}, {"right", material}};
  mesh.element_region = {0, 2, 2, -1, 0};
  write_veg(mesh, folder_ / "regions.veg");
  expect_same(read_mesh(folder_ / "regions.veg"), mesh);

  // A part must not be called what means the whole; names that clash or hold separators are made fit.
  mesh.regions = {{"allElements", material}, {"a, b", material}, {"a, b", material}};
  write_veg(mesh, folder_ / "names.veg");
  const VolumeMesh again = read_mesh(folder_ / "names.veg");
  EXPECT_EQ(again.element_region, mesh.element_region);
  EXPECT_TRUE(again.warnings.empty());
}

TEST_F(Readers, WriteVegRefusesWhatTheFormatLacks) {
  VolumeMesh mesh = read(cube5());
  mesh.regions[0].material.reset();
  EXPECT_THROW(write_veg(mesh, folder_ / "no.veg"), InputError);
  mesh = read(cube5());
  mesh.blocks.push_back({ElementType::hex8, {0, 1, 3, 2, 4, 5, 7, 6}});
  mesh.element_region.push_back(0);
  EXPECT_THROW(write_veg(mesh, folder_ / "no.veg"), InputError);
  mesh = read(cube5());
  mesh.vertices[0] = NAN;
  EXPECT_THROW(write_veg(mesh, folder_ / "no.veg"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "no.veg"));
}

// ---- TetGen ------------------------------------------------------------------------------------------------

TEST_F(Readers, TetgenPairsByAnyName) {
  write("cube.1.node",
        "# nodes\n8 3 1 1\n\n1 0 0 0 0.5 0\n2 1 0 0 0.5 7\n3 0 1 0 0.5 7\n4 1 1 0 0.5 -2\n5 0 0 1 0.5 0\n"
        "6 1 0 1 0.5 0\n7 0 1 1 0.5 0\n8 1 1 1 0.5 7 # last\n# Generated\n");
  write("cube.1.ele", "5 4 1\n1 2 3 5 8 100\n2 1 2 3 5 -3.5\n3 4 3 2 8 100\n4 6 2 5 8 100\n5 7 5 3 8 1e2\n");
  for (const char* name : {"cube.1.node", "cube.1.ele", "cube.1"}) {
    SCOPED_TRACE(name);
    const VolumeMesh mesh = read_mesh(folder_ / name);
    expect_cube5(mesh);
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 0, 0, 0}));
    EXPECT_EQ(std::set<std::filesystem::path>(mesh.source_files.begin(), mesh.source_files.end()),
              (std::set<std::filesystem::path>{folder_ / "cube.1.node", folder_ / "cube.1.ele"}));
    ASSERT_EQ(mesh.regions.size(), 2u);
    EXPECT_EQ(mesh.regions[0].name, "100");
    EXPECT_EQ(mesh.regions[1].name, "-3.5");
    EXPECT_FALSE(mesh.regions[0].material);
    EXPECT_EQ(mesh.vertex_sets.at("7"), (std::vector<std::int32_t>{1, 2, 7}));
    EXPECT_EQ(mesh.vertex_sets.at("-2"), (std::vector<std::int32_t>{3}));
    EXPECT_EQ(mesh.vertex_sets.size(), 2u);
  }
}

// Found by fuzzing.
TEST_F(Readers, TetgenWithoutTetrahedraHasNoBlocks) {
  write("t.node", "0 3\n");
  write("t.ele", "0 4 1\n");
  EXPECT_TRUE(read_mesh(folder_ / "t.node").blocks.empty());
}

TEST_F(Readers, TetgenZeroBasedWithoutAttributes) {
  write("t.node", "4 3 0 0\r\n0 0 0 0\r\n1 1 0 0\r\n2 0 1 0\r\n3 0 0 1\r\n");
  write("t.ele", "1\t4\t0\r\n0\t0 1 2 3\r\n");
  const VolumeMesh mesh = read_mesh(folder_ / "t.ele");
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.element_region, std::vector<std::int32_t>{-1});
  EXPECT_TRUE(mesh.regions.empty());
}

TEST_F(Readers, TetgenTenNodes) {
  // What TetGen 1.5 writes for one tetrahedron with option -o2.
  write("q.node",
        "10 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0.5 0 0.5\n6 0.5 0 0\n7 0 0.5 0\n8 0 0.5 0.5\n9 0.5 0.5 0\n"
        "10 0 0 0.5\n");
  write("q.ele", "1 10 0\n1 1 3 4 2 5 6 7 8 9 10\n");
  const VolumeMesh mesh = read_mesh(folder_ / "q");
  ASSERT_EQ(mesh.blocks[0].type, ElementType::tet10);
  const auto element = mesh.blocks[0].element(0);
  const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};  // VTK's order
  const auto x = [&](int a, std::size_t c) {
    return mesh.vertices[3 * static_cast<std::size_t>(element[static_cast<std::size_t>(a)]) + c];
  };
  for (int i = 0; i < 6; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(x(4 + i, c), (x(edges[i][0], c) + x(edges[i][1], c)) / 2) << "edge " << i;
}

TEST_F(Readers, TetgenErrors) {
  write("e.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  const auto expect = [&](const std::string& ele, const std::vector<std::string>& parts) {
    write("e.ele", ele);
    expect_error([&] { (void)read_mesh(folder_ / "e.ele"); }, parts);
  };
  expect("1 4 0\n1 1 2 3 5\n", {"e.ele:2: tetrahedron 1 has vertex 5, but the .node file has 4 vertices"});
  expect("1 4 0\n1 0 1 2 3\n", {"e.ele:2: tetrahedron 1 has vertex 0"});
  expect("2 4 0\n1 1 2 3 4\n", {"announces 2 tetrahedra", "only 1"});
  expect("1 4 0\n1 1 2 3 4\n2 1 2 3 4\n", {"e.ele:3: there are more rows"});
  expect("1 4 0\n1 1 2 3\n", {"e.ele:2: tetrahedron 1: the row ends too early"});
  expect("1 4 1\n1 1 2 3 4 x\n", {"e.ele:2: tetrahedron 1: 'x' is not a number"});
  write("e.ele", "1 4 0\n1 1 2 3 4\n");
  write("e.node", "4 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 0 0\n");
  expect_error([&] { (void)read_mesh(folder_ / "e.ele"); }, {"e.node:1: nodes have 2 coordinates"});
  std::filesystem::remove(folder_ / "e.node");
  try {
    (void)read_mesh(folder_ / "e.ele");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("e.node"), std::string::npos) << error.what();
  }
}

// ---- no known format -----------------------------------------------------------------------------------------

TEST_F(Readers, ForeignFormatsAreNamed) {
  const std::pair<std::string, const char*> files[] = {
      {"<?xml version=\"1.0\"?>\n<Xdmf>", "XML"},
      {"solid x\n facet", "STL"},
      {std::string(80, 'x') + std::string("\1\0\0\0", 4) + std::string(50, '\0'), "STL"},
      {"# made by\nv 0 0 0\nf 1 2 3\n", "OBJ"},
      {"ply\nformat ascii 1.0\n", "PLY"},
      {std::string("\x02\0\0\0\0\0\0\0{} ", 11), "safetensors"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 34\n", "git lfs pull"},
      {"", "empty"},
      {std::string("\0\1\2", 3), "binary"},
      {"hello\n", "VegaFEM (.veg), "},
  };
  for (const auto& [content, name] : files)
    expect_error([&] { (void)read_mesh(write("mesh.xyz", content)); }, {"mesh.xyz: ", name, "known formats"});
}

TEST_F(Readers, MissingFilesAndFolders) {
  EXPECT_THROW((void)read_mesh(folder_ / "nowhere.veg"), FileError);
  EXPECT_THROW((void)read_mesh(folder_.path()), FileError);
  EXPECT_THROW((void)read_mesh("/dev/zero"), FileError);
  EXPECT_THROW((void)read_fixed_vertices(folder_ / "nowhere.bou", 8), FileError);
}

// ---- .bou ----------------------------------------------------------------------------------------------------

TEST_F(Readers, FixedVertices) {
  const auto read_bou = [&](const std::string& text) { return read_fixed_vertices(write("f.bou", text), 8); };
  EXPECT_EQ(read_bou(""), std::vector<std::int32_t>{});
  EXPECT_EQ(read_bou(" 3,\t1,\t\r\n2 4,,\t\r\n1\r\n"), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(read_bou("6:8, 1 # two ends\n"), (std::vector<std::int32_t>{0, 5, 6, 7}));
  EXPECT_EQ(read_bou("8"), (std::vector<std::int32_t>{7}));
  std::string overlapping;
  for (int i = 0; i < 1000; ++i) overlapping += "1:8,";
  EXPECT_EQ(read_bou(overlapping), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  expect_error([&] { (void)read_bou("0,1"); }, {"f.bou:1: entry 1 is 0, but fixed vertices are 1..8"});
  expect_error([&] { (void)read_bou("1,2,\n3,9"); }, {"f.bou:2: entry 4 is 9, but the mesh has 8 vertices"});
  expect_error([&] { (void)read_bou("1,2,x,4"); }, {"f.bou:1: entry 3 'x' is not an integer"});
  expect_error([&] { (void)read_bou("1:99999999999"); }, {"entry 1 is 99999999999, but the mesh has 8 vertices"});
  expect_error([&] { (void)read_bou("3:2"); }, {"'3:2', which runs backwards"});
  expect_error([&] { (void)read_bou("1:2:3"); }, {"'1:2:3' is not an integer"});
  expect_error([&] { (void)read_bou("1.5"); }, {"'1.5' is not an integer"});
}

TEST_F(Readers, FixedVerticesRoundTrip) {
  std::vector<std::int32_t> vertices;
  for (std::int32_t v = 0; v < 1000; v += 7) vertices.push_back(v);
  write_fixed_vertices(vertices, folder_ / "f.bou");
  EXPECT_EQ(read_fixed_vertices(folder_ / "f.bou", 1000), vertices);
  write_fixed_vertices({}, folder_ / "none.bou");
  EXPECT_TRUE(read_fixed_vertices(folder_ / "none.bou", 1000).empty());
}

// ---- locale --------------------------------------------------------------------------------------------------

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(Readers, LocaleChangesNothing) {
  const std::string text = replaced(cube5(), "8 1 1 1", "8 0.5 1.25 1234.5");
  const VolumeMesh plain = read(text);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const char* const german = std::setlocale(LC_ALL, "de_DE.UTF-8");  // null where it isn't installed
  const VolumeMesh mesh = read(text);
  write_veg(mesh, folder_ / "locale.veg");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  expect_same(mesh, plain);
  expect_same(read_mesh(folder_ / "locale.veg"), plain);
  RecordProperty("german_locale", german != nullptr ? "yes" : "no");
}

// ---- reference data --------------------------------------------------------------------------------------------

TEST(ReaderData, PublicMeshesHaveTheirCounts) {
  QUARTIC_NEED_DATA(index, "public/INDEX.tsv");
  std::ifstream table(index);
  ASSERT_TRUE(table) << index;
  int read_count = 0;
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    const bool ours =
        columns.size() > 6 && columns[4] != "-" && (columns[0].ends_with(".veg") || columns[0].ends_with(".ele"));
    if (!ours) continue;
    SCOPED_TRACE(columns[0]);
    const VolumeMesh mesh = read_mesh(index.parent_path() / columns[0]);
    EXPECT_EQ(mesh.vertex_count(), std::stoll(columns[4]));
    const ElementType type = columns[5].starts_with("tet:") ? ElementType::tet4 : ElementType::hex8;
    ASSERT_EQ(mesh.blocks.size(), 1u);
    EXPECT_EQ(mesh.blocks[0].type, type);
    EXPECT_EQ(mesh.blocks[0].count(), std::stoll(columns[5].substr(4)));
    ++read_count;
  }
  EXPECT_GE(read_count, 8);
}

TEST(ReaderData, TurtleHasTwoRegions) {
  QUARTIC_NEED_DATA(path, "public/vegafem/turtle-volumetric-heterogeneous.veg");
  const VolumeMesh mesh = read_mesh(path);
  ASSERT_EQ(mesh.regions.size(), 2u);
  EXPECT_EQ(mesh.regions[0].name, "backshell");
  EXPECT_EQ(mesh.regions[0].material->youngs_modulus, 2.5e7);
  EXPECT_EQ(mesh.regions[1].name, "theRest");
  EXPECT_EQ(mesh.regions[1].material->poissons_ratio, 0.35);
  EXPECT_EQ(std::count(mesh.element_region.begin(), mesh.element_region.end(), -1), 0);
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST(ReaderData, FixedListsOfTheBridgeAndBeam) {
  QUARTIC_NEED_DATA(folder, "public/vegafem");
  const auto bridge = read_fixed_vertices(folder / "simpleBridge_resol92-b1.155_enlarged.bou", 3923);
  EXPECT_EQ(bridge.size(), 44u);
  EXPECT_EQ(bridge.front(), 0);
  EXPECT_EQ(bridge.back(), 3922);
  EXPECT_EQ(read_fixed_vertices(folder / "beam3.bou", 208),
            (std::vector<std::int32_t>{50, 51, 102, 103, 154, 155, 206, 207}));
  EXPECT_EQ(read_fixed_vertices(folder / "turtle-volumetric.bou", 347).size(), 23u);
}

TEST(ReaderData, TrickyFixedLists) {
  QUARTIC_NEED_DATA(folder, "tricky");
  EXPECT_EQ(read_fixed_vertices(folder / "b29_duplicates_tabs.bou", 8), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_TRUE(read_fixed_vertices(folder / "b27_free_beam.bou", 20).empty());
  for (const char* name : {"b29_zero.bou", "b29_too_big.bou", "b29_text.bou"})
    EXPECT_THROW((void)read_fixed_vertices(folder / name, 8), ParseError) << name;
}

}  // namespace
}  // namespace quartic
