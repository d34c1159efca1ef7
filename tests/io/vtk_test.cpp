// VTK's legacy files, as text and binary, versions 1.0 to 5.1.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::DamagedReads;
using test::MeshReading;
using test::replaced;

// Writes a file's pieces as text or binary. The text after each binary block is what `separator` says.
class LegacyFile {
 public:
  explicit LegacyFile(bool is_binary, std::string separator = "\n", const std::string& version = "3.0")
      : is_binary_(is_binary), separator_(std::move(separator)) {
    line("# vtk DataFile Version " + version);
    line("a test");
    line(is_binary ? "BINARY" : "ASCII");
    line("DATASET UNSTRUCTURED_GRID");
  }
  LegacyFile& line(const std::string& more) {
    text_ += more + "\n";
    return *this;
  }
  template <class T>
  LegacyFile& values(const std::vector<T>& numbers) {
    std::ostringstream text;
    for (const T number : numbers) {
      text << +number << ' ';
      if (!is_binary_) continue;
      std::array<char, sizeof(T)> bytes;
      std::memcpy(bytes.data(), &number, bytes.size());
      std::reverse(bytes.begin(), bytes.end());  // big endian
      text_.append(bytes.data(), bytes.size());
    }
    text_ += is_binary_ ? separator_ : text.str() + "\n";
    return *this;
  }
  LegacyFile& bytes(const std::string& more) {
    text_ += more + separator_;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool is_binary_;
  std::string separator_;
  std::string text_;
};

const std::vector<float> cube_points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};

// A cube of five tetrahedra, with a triangle and a vertex of it; data of several kinds.
void add_data(LegacyFile& file) {
  file.line("CELL_DATA 7").line("SCALARS %6Daterial int 1").line("LOOKUP_TABLE default");
  file.values<std::int32_t>({7, 7, 9, 9, 9, 3, 0});
  file.line("VECTORS v double").values<double>(std::vector<double>(21, 1.5));
  file.line("POINT_DATA 8").line("SCALARS held unsigned_char").line("LOOKUP_TABLE default");
  file.values<std::uint8_t>({1, 0, 1, 0, 0, 0, 0, 1});
  file.line("FIELD FieldData 1").line("temperature 1 8 float").values<float>(std::vector<float>(8, 10.25F));
}

std::string classic(bool is_binary, const std::string& separator = "\n", const std::string& size = "31") {
  LegacyFile file(is_binary, separator);
  file.line("POINTS 8 float").values(cube_points).line("CELLS 7 " + size);
  file.values<std::int32_t>(
      {4, 1, 2, 4, 7, 4, 0, 1, 2, 4, 4, 3, 2, 1, 7, 4, 5, 1, 4, 7, 4, 6, 4, 2, 7, 3, 0, 1, 2, 1, 5});
  file.line("CELL_TYPES 7").values<std::int32_t>({10, 10, 10, 10, 10, 5, 1});
  add_data(file);
  return file.text();
}

const std::vector<std::string> metadata = {"METADATA", "INFORMATION 1", "NAME L2_NORM_RANGE LOCATION vtkDataArray",
                                           "DATA 2 0 1.7", ""};

std::string version_5(bool is_binary, const std::string& separator = "\n") {
  LegacyFile file(is_binary, separator, "5.1");
  file.line("POINTS 8 float").values(cube_points);
  for (const std::string& line : metadata) file.line(line);
  file.line("CELLS 8 24").line("OFFSETS vtktypeint64").values<std::int64_t>({0, 4, 8, 12, 16, 20, 23, 24});
  file.line("CONNECTIVITY vtktypeint64");
  file.values<std::int64_t>({1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7, 0, 1, 2, 5});
  file.line("CELL_TYPES 7").values<std::int32_t>({10, 10, 10, 10, 10, 5, 1});
  add_data(file);
  for (const std::string& line : metadata) file.line(line);
  return file.text();
}

void expect_cube(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, std::vector<double>(cube_points.begin(), cube_points.end()));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices,
            (std::vector<std::int32_t>{1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7}));
}

void expect_vtk_sample(const VolumeMesh& mesh) {
  expect_cube(mesh);
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "7");
  EXPECT_EQ(mesh.regions[1].name, "9");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"tri", 1}, {"vertex", 1}}));
  EXPECT_EQ(mesh.vertex_sets,
            (std::map<std::string, std::vector<std::int32_t>>{{"held", {0, 2, 7}}, {"surface 3", {0, 1, 2}}}));
  EXPECT_EQ(mesh.warnings, std::vector<std::string>{});
}

class Vtk : public MeshReading {
 protected:
  /// Expects the sample with one warning that contains `part`.
  void expect_repaired(const std::string& text, const std::string& part) {
    VolumeMesh mesh = read(text);
    ASSERT_EQ(mesh.warnings.size(), 1U) << part;
    EXPECT_NE(mesh.warnings[0].find(part), std::string::npos) << mesh.warnings[0];
    mesh.warnings.clear();
    expect_vtk_sample(mesh);
  }
};

TEST_F(Vtk, TextAndBinaryOfAllVersionsAreTheSameMesh) {
  for (const bool is_binary : {false, true})
    for (const char* separator : {"\n", "", "\r\n", " \n"}) {
      SCOPED_TRACE(std::string(is_binary ? "binary" : "text") + std::to_string(std::strlen(separator)));
      expect_vtk_sample(read(classic(is_binary, separator)));
      expect_vtk_sample(read(version_5(is_binary, separator)));
    }
  expect_vtk_sample(read(replaced(classic(false), "Version 3.0", "Version 1.0")));
  expect_vtk_sample(
      read(replaced(version_5(false), "CELLS 8 24\nOFFSETS vtktypeint64", "cells 8 24\noffsets VtkIdType")));
}

TEST_F(Vtk, LineEndsAndByteOrderMarksDontMatter) {
  for (const std::string& file : {classic(false), version_5(false)})
    for (const std::string end : {"\r\n", "\r", " \t\n"}) {
      std::string other = "\xEF\xBB\xBF";
      for (const char c : file) other += c == '\n' ? end : std::string(1, c);
      expect_vtk_sample(read(other));
    }
  // Header lines of a binary file, too: those before the first block.
  std::string windows = classic(true);
  for (std::size_t at = 0; (at = windows.find('\n', at)) < windows.find("float"); at += 2) windows.insert(at, "\r");
  expect_vtk_sample(read(windows));
}

TEST_F(Vtk, HeaderMistakesAreRepaired) {
  const std::string text = classic(false);
  for (const char* first : {"#vtk DataFile Version 3.0", "# vtk DataFile 3.0", "# VTK DataFile Versio 3.0"})
    expect_repaired(replaced(text, "# vtk DataFile Version 3.0", first), "first line");
  expect_repaired(replaced(text, "a test\n", ""), "title");
  expect_vtk_sample(read(replaced(text, "a test\n", "\n")));
  expect_vtk_sample(read(replaced(text, "ASCII\n", "\n  ascii\n\n")));
  for (const bool is_binary : {false, true})
    for (const char* size : {"7", "30", "1000000000000"})
      expect_repaired(classic(is_binary, "\n", size), "CELLS announces " + std::string(size));
  expect_repaired(replaced(text, "CELL_TYPES 7", "CELL_TYPES 1"), "announces 1 types, but 7 follow");
}

TEST_F(Vtk, TypesOfTetrahedraAndHexahedraCanBeMissing) {
  const std::string head = LegacyFile(false).line("POINTS 8 float").values(cube_points).text();
  const std::string cells = "CELLS 2 14\n4 0 1 2 4\n8 0 1 3 2 4 5 7 6\n";
  for (const char* types : {"", "CELL_TYPES 2\n", "CELL_TYPES 2\n10\n", "CELL_TYPES 0\nPOINT_DATA 8\n"}) {
    const VolumeMesh mesh = read(head + cells + types);
    ASSERT_EQ(mesh.blocks.size(), 2U);
    EXPECT_EQ(mesh.blocks[1].type, ElementType::hex8);
    ASSERT_GE(mesh.warnings.size(), 1U);
    EXPECT_NE(mesh.warnings.back().find("CELL_TYPES are missing for"), std::string::npos);
  }
  expect_error(head + "CELLS 1 7\n6 0 1 2 4 5 6\n", {"1 cells, but only 0 CELL_TYPES"});
  expect_error(head + cells + "CELL_TYPES 2\n10 12 12\n", {"2 cells, but 3 CELL_TYPES"});
}

TEST_F(Vtk, MetadataAreText) {
  std::string block;
  for (const std::string& line : metadata) block += line + "\n";
  for (const bool is_binary : {false, true}) {
    std::string text = classic(is_binary);
    for (const char* keyword : {"CELLS 7", "CELL_TYPES", "CELL_DATA", "VECTORS", "POINT_DATA", "FIELD"})
      text = replaced(text, keyword, block + keyword);
    expect_vtk_sample(read(text + block));
    expect_vtk_sample(read(text + "METADATA\nCOMPONENT_NAMES\nx%20axis\n"));  // ended by the file
    // Without its blank line, a block ends with the next section.
    std::string tight = block;
    tight.pop_back();
    expect_vtk_sample(read(replaced(classic(is_binary), "CELL_TYPES", tight + "CELL_TYPES")));
  }
}

TEST_F(Vtk, OtherDataArePassedOver) {
  for (const bool is_binary : {false, true}) {
    LegacyFile file(is_binary);
    file.line("FIELD FieldData 3").line("TIME 1 1 double").values<double>({0.5});
    file.line("my%20names 1 3 string");
    // Lengths in one and two bytes.
    is_binary ? file.bytes(std::string("\xC2"
                                       "ab\xC0\x80\x46",
                                       6) +
                           std::string(70, '\n'))
              : file.line("ab").line("").line("POINTS 8 float");
    file.line("NULL_ARRAY");
    file.line("POINTS 8 double").values(std::vector<double>(cube_points.begin(), cube_points.end()));
    file.line("CELLS 1 5").values<std::int32_t>({4, 0, 1, 2, 4});
    file.line("CELL_TYPES 1").values<std::int32_t>({10});
    file.line("POINT_DATA 8");
    file.line("SCALARS bits bit 1").line("LOOKUP_TABLE mine");
    is_binary ? file.bytes("\x0A") : file.values<int>({0, 0, 0, 0, 1, 0, 1, 0});
    file.line("LOOKUP_TABLE mine 2");
    is_binary ? file.bytes(std::string(8, ' ')) : file.values<float>({0, 0, 0, 1, 1, 0.5F, 1, 1});
    file.line("COLOR_SCALARS colours 3");
    is_binary ? file.bytes(std::string(24, '\n')) : file.values(std::vector<float>(24, 0.5F));
    file.line("NORMALS n float").values(cube_points);
    file.line("TEXTURE_COORDINATES t 2 float").values(std::vector<float>(16, 1));
    file.line("TENSORS T double").values(std::vector<double>(72, 1));
    file.line("GLOBAL_IDS ids vtkIdType").values<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8});
    file.line("SCALARS 2 components short 2").line("LOOKUP_TABLE default").values(std::vector<std::int16_t>(16, 1));
    file.line("CELL_DATA 1");
    file.line("SCALARS part%5Fid vtktypeuint64 1").line("LOOKUP_TABLE default").values<std::uint64_t>({12});
    const VolumeMesh mesh = read(file.text());
    EXPECT_EQ(mesh.element_count(), 1);
    EXPECT_EQ(mesh.regions.at(0).name, "12");
    EXPECT_TRUE(mesh.vertex_sets.empty());
    EXPECT_TRUE(mesh.warnings.empty());
    // What isn't known ends the file.
    const VolumeMesh cut = read(file.text() + "TENSOR_FIELD x\n1 2 3\n");
    ASSERT_EQ(cut.warnings.size(), 1U);
    EXPECT_NE(cut.warnings[0].find("'TENSOR_FIELD' isn't known"), std::string::npos);
  }
}

// A tetrahedron of `type` in a file with as many points as the cell has.
std::string one_cell(int type, int points) {
  LegacyFile file(false);
  file.line("POINTS " + std::to_string(points) + " float")
      .values(std::vector<float>(3 * static_cast<std::size_t>(points)));
  std::vector<int> cell = {points};
  for (int p = 0; p < points; ++p) cell.push_back(p);
  file.line("CELLS 1 " + std::to_string(points + 1)).values(cell).line("CELL_TYPES 1").values<int>({type});
  return file.text();
}

TEST_F(Vtk, CellTypes) {
  const std::tuple<int, int, ElementType> elements[] = {
      {10, 4, ElementType::tet4},     {24, 10, ElementType::tet10}, {12, 8, ElementType::hex8},
      {25, 20, ElementType::hex20},   {13, 6, ElementType::wedge6}, {26, 15, ElementType::wedge15},
      {14, 5, ElementType::pyramid5}, {71, 4, ElementType::tet4},   {71, 10, ElementType::tet10},
      {72, 8, ElementType::hex8},     {73, 6, ElementType::wedge6}, {74, 5, ElementType::pyramid5}};
  for (const auto& [type, points, element] : elements) {
    const VolumeMesh mesh = read(one_cell(type, points));
    ASSERT_EQ(mesh.blocks.size(), 1U);
    EXPECT_EQ(mesh.blocks[0].type, element) << type;
    for (int p = 0; p < points; ++p) EXPECT_EQ(mesh.blocks[0].vertices[static_cast<std::size_t>(p)], p) << type;
  }
  const std::tuple<int, int, const char*> refused[] = {{29, 27, "27-node hexahedron"},   {32, 18, "18-node wedge"},
                                                       {27, 13, "13-node pyramid"},      {42, 9, "polyhedron"},
                                                       {71, 20, "Lagrange tetrahedron"}, {78, 10, "Bezier tetrahedron"},
                                                       {15, 10, "pentagonal prism"},     {99, 4, "type 99"}};
  for (const auto& [type, points, name] : refused) expect_error(one_cell(type, points), {"m.txt:8", "cell 0", name});
  expect_error(one_cell(10, 5), {"m.txt:8", "cell 0 (tet4) should have 4 points, but has 5"});
  const std::pair<int, const char*> surfaces[] = {{5, "tri"}, {6, "triangle strip"}, {7, "polygon"}};
  for (const auto& [type, name] : surfaces)
    expect_error(one_cell(type, 3), {"m.txt: the file has no volume cells, only 1 " + std::string(name)});
}

// The corners of a voxel lie x first, then y, then z; those of a hexahedron go round.
TEST_F(Vtk, VoxelsBecomeHexahedra) {
  LegacyFile file(false);
  file.line("POINTS 8 float").values(cube_points);
  file.line("CELLS 1 9").values<int>({8, 0, 1, 2, 3, 4, 5, 6, 7}).line("CELL_TYPES 1").values<int>({11});
  const VolumeMesh mesh = read(file.text());
  EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 3, 2, 4, 5, 7, 6}));
  EXPECT_NEAR(check_mesh(mesh).volume, 1, 1e-15);  // eight Gauss points of weight 1/8
}

TEST_F(Vtk, ErrorsNameLineAndEntity) {
  const std::string text = classic(false), five = version_5(false);
  for (const bool is_binary : {false, true}) {
    LegacyFile file(is_binary);
    file.line("POINTS 4 float").values(std::vector<float>(12));
    file.line("CELLS 1 5").values<std::int32_t>({4, 0, 1, 2, 4}).line("CELL_TYPES 1").values<std::int32_t>({10});
    expect_error(file.text(), {"m.txt:", "cell 0 refers to point 4, but there are 4 points, numbered from 0"});
  }
  expect_error(replaced(text, "CELLS 7 31\n4 1 2 4 7", "CELLS 7 31\n4 1 2 4 8"),
               {"m.txt:8", "cell 0 refers to point 8"});
  expect_error(replaced(text, "CELLS 7 31\n4 1", "CELLS 7 31\n4 -1"), {"m.txt:8", "cell 0 refers to point -1"});
  expect_error(replaced(text, "CELLS 7 31\n4 1", "CELLS 7 31\n4 x"), {"m.txt:8", "should be an integer, not 'x'"});
  expect_error(replaced(text, "CELLS 7", "CELLS 6"), {"more numbers here than announced"});
  expect_error(replaced(text, "CELLS 7", "CELLS 8"), {"not 'CELL_TYPES'"});
  expect_error(replaced(text, "CELLS 7", "CELLS -7"), {"m.txt:7", "should not be negative"});
  expect_error(replaced(text, "POINTS 8", "POINTS 9"), {"m.txt:7", "POINTS should have 27 numbers; here is 'CELLS'"});
  expect_error(replaced(text, "POINTS 8", "POINTS 7"), {"m.txt:6", "more numbers here than announced"});
  expect_error(replaced(text, "POINTS 8", "POINTS 1000000000000"), {"m.txt:5", "more than the file can hold"});
  expect_error(replaced(text, "POINTS 8 float", "POINTS 8"), {"type float or double, not '0'"});
  expect_error(replaced(text, "float\n0 ", "float\nnan "), {"m.txt:5", "point 0 has a coordinate that is no finite"});
  expect_error(replaced(text, "10 10 10 10 10 5 1", "10 10 10 10 10 5"), {"7 cells, but only 6 CELL_TYPES"});
  expect_error(replaced(text, "ASCII", "TEXT"), {"m.txt:3", "ASCII or BINARY", "'TEXT'"});
  expect_error(replaced(text, "Version 3.0", "Version 6.0"), {"version 6"});
  expect_error(replaced(text, "UNSTRUCTURED_GRID", "POLYDATA"), {"m.txt:4", "POLYDATA", "surface"});
  expect_error(replaced(text, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), {"'STRUCTURED_POINTS'", "Append Datasets"});
  expect_error(replaced(text, "DATASET UNSTRUCTURED_GRID\n", ""), {"POINTS come before DATASET"});
  expect_error(replaced(five, "0 4 8 12", "1 4 8 12"), {"OFFSETS should begin with 0"});
  expect_error(replaced(five, "0 4 8 12", "0 4 2 12"), {"cell 1 ends at 2", "begins at 4", "damaged"});
  expect_error(replaced(five, "0 4 8 12", "0 4 99 12"), {"cell 1 ends at 99", "damaged"});
  expect_error(replaced(five, "CELLS 8 24", "CELLS 8 23"), {"OFFSETS should end with 23"});
  expect_error(replaced(five, "CELLS 8 24", "CELLS 7 24"), {"OFFSETS should end with 24"});
  expect_error(replaced(five, "OFFSETS vtktypeint64", "OFFSETS float"), {"OFFSETS should be integers, not 'float'"});
  expect_error(replaced(five, "CONNECTIVITY vtk", "CONNECTED vtk"), {"CONNECTIVITY is expected here"});
  expect_error(replaced(five, "CELLS 8 24", "CELLS 80000000000000 24"), {"more than the file can hold"});
  expect_error(replaced(version_5(true), "CELLS 8 24", "CELLS 4611686018427387905 24"), {"can't have"});
  expect_error(replaced(text, "temperature 1 8", "temperature 4611686018427387904 8"), {"'temperature'", "size"});
  expect_error(replaced(text, "VECTORS v double", "VECTORS v complex"), {"'v' is of the type 'complex'"});
  expect_error(text.substr(0, text.find("10.25") + 2), {"array 'temperature' should have 8 values", "cut short"});
  expect_error(classic(true).substr(0, classic(true).find("CELL_DATA") - 3),
               {"CELL_TYPES needs 28 bytes", "cut short"});
}

TEST_F(Vtk, DataForOtherCountsMakeNoRegions) {
  std::string text = replaced(classic(false), "CELL_DATA 7", "CELL_DATA 6");
  text = replaced(text, "7 7 9 9 9 3 0", "7 7 9 9 9 3");
  const VolumeMesh mesh = read(text.substr(0, text.find("VECTORS")));
  expect_cube(mesh);
  EXPECT_TRUE(mesh.regions.empty());
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("CELL_DATA are for 6, but the file has 7"), std::string::npos);
}

TEST_F(Vtk, WhichArrayMakesRegions) {
  const std::string head = LegacyFile(false).line("POINTS 8 float").values(cube_points).text() +
                           "CELLS 2 10\n4 0 1 2 4\n4 3 2 1 7\nCELL_TYPES 2\n10 10\nCELL_DATA 2\n";
  const auto array = [](const std::string& name, const std::string& values) {
    return "SCALARS " + name + " double 1\nLOOKUP_TABLE default\n" + values + "\n";
  };
  const auto regions = [this](const std::string& text) {
    std::vector<std::string> names;
    const VolumeMesh mesh = read(text);
    for (const auto region : mesh.element_region)
      names.push_back(region < 0 ? "none" : mesh.regions[static_cast<std::size_t>(region)].name);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(regions(head), (Names{"none", "none"}));
  EXPECT_EQ(regions(head + array("temperature", "1 2")), (Names{"none", "none"}));
  for (const char* name : {"region", "RegionId", "MaterialIds", "mat_id", "Attribute", "gmsh:physical", "medit:ref",
                           "cell_tags", "cell%20tags", "CellEntityIds", "cell_scalars", "MeshDomain"})
    EXPECT_EQ(regions(head + array(name, "5 -2")), (Names{"5", "-2"})) << name;
  // What a person chose comes before what programs count; values that are no whole numbers count nothing.
  EXPECT_EQ(regions(head + array("CellEntityIds", "1 2") + array("material", "8 8")), (Names{"8", "8"}));
  EXPECT_EQ(regions(head + array("CellEntityIds", "1 2") + array("material", "0.5 8")), (Names{"1", "2"}));
  EXPECT_EQ(regions(head + array("material", "nan 1e300")), (Names{"none", "none"}));
}

TEST_F(Vtk, EveryPrefixIsReadOrRefused) {
  for (const std::string& file :
       {classic(false), classic(true), version_5(false), version_5(true), classic(true, ""), version_5(true, "")}) {
    const std::size_t types = file.find("CELL_TYPES"), points = file.find("float") + 6;
    for (std::size_t size = 0; size < file.size(); ++size) {
      try {
        const VolumeMesh mesh = read(file.substr(0, size));
        expect_cube(mesh);
        ASSERT_GT(size, types);
      } catch (const Error& error) {
        if (size > points && size < points + 40) {
          EXPECT_NE(std::string(error.what()).find("cut short"), std::string::npos) << error.what() << size;
        }
      }
    }
  }
}

// A file of 5 MB, made of bytes that look like the beginning of a section (`*`) and without line ends, takes no longer
// than its size asks for: with a search for the line's start at every such byte it would be a minute.
TEST_F(Vtk, LargeBinaryFilesAreRead) {
  constexpr std::int32_t star = 0x2A2A2A2A;
  LegacyFile file(true);
  file.line("POINTS 4 float").values(std::vector<float>(12));
  file.line("CELLS 200000 1000000");
  std::vector<std::int32_t> cells;
  for (int cell = 0; cell < 200000; ++cell) cells.insert(cells.end(), {4, 0, 1, 2, 3});
  file.values(cells).line("CELL_TYPES 200000").values(std::vector<std::int32_t>(200000, 10));
  file.line("CELL_DATA 200000").line("SCALARS material int").values(std::vector<std::int32_t>(200000, star));
  const VolumeMesh mesh = read(file.text());
  EXPECT_EQ(mesh.element_count(), 200000);
  EXPECT_EQ(mesh.regions.at(0).name, std::to_string(star));
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(Vtk, SurvivesDamage) {
  std::mt19937_64 engine(6);
  DamagedReads damaged;
  for (const std::string& file : {classic(false), classic(true), version_5(false), version_5(true)})
    for (int n = 0; n < 500; ++n) {
      std::string text = file;
      for (auto times = 1 + engine() % 3; times > 0 && !text.empty(); --times) {
        const std::size_t at = engine() % text.size();
        constexpr std::string_view telling("0123456789+-.e \nL\0\xFF", 19);
        constexpr const char* numbers[] = {"99999999", "2147483648", "9223372036854775807", "-1", "nan", "1e999"};
        switch (engine() % 5) {
          case 0:
            text.erase(at, 1 + engine() % 20);
            break;
          case 1:
            if (engine() % 4 == 0) text.resize(at);
            break;
          case 2:
            text.insert(at, text.substr(engine() % text.size(), engine() % 40));
            break;
          case 3:
            text.replace(at, 1, numbers[engine() % 6]);
            break;
          default:
            text[at] = telling[engine() % telling.size()];
        }
      }
      damaged.take([&] { return read(text); });
    }
  EXPECT_GT(damaged.read, 100);
  EXPECT_GT(damaged.refused, 500);
}

// ---- reference data -----------------------------------------------------------------------------------------------

TEST(VtkData, PublicMeshesHaveTheirCountsAndVolumes) {
  QUARTIC_NEED_DATA(index, "public/INDEX.tsv");
  std::ifstream table(index);
  int read_count = 0;
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
    if (columns.size() < 7 || (!columns[0].ends_with(".vtk") && !columns[0].ends_with(".vtu"))) continue;
    SCOPED_TRACE(columns[0]);
    const VolumeMesh mesh = read_mesh(index.parent_path() / columns[0]);
    EXPECT_EQ(mesh.vertex_count(), std::stoll(columns[4]));
    ASSERT_EQ(mesh.blocks.size(), 1U);
    const std::string count = columns[5].substr(columns[5].find(':') + 1);
    EXPECT_EQ(mesh.blocks[0].count(), std::stoll(count));
    EXPECT_EQ(element_type_name(mesh.blocks[0].type).substr(0, 3), columns[5].substr(0, 3));
    // Reference numbers have six digits.
    if (const auto volume = columns[6].find("volume "); volume != std::string::npos) {
      const double exact = std::stod(columns[6].substr(volume + 7));
      EXPECT_NEAR(check_mesh(mesh).volume, exact, 1e-5 * exact);
    }
    ++read_count;
  }
  EXPECT_EQ(read_count, 11);
}

TEST(VtkData, PublicMeshesHaveTheirRegions) {
  QUARTIC_NEED_DATA(folder, "public");
  const VolumeMesh beam = read_mesh(folder / "mfem/beam-tet.vtk");
  ASSERT_EQ(beam.regions.size(), 2U);
  EXPECT_EQ(std::count(beam.element_region.begin(), beam.element_region.end(), 0), 24);
  EXPECT_EQ(read_mesh(folder / "sfepy/beam_w14.vtk").regions.size(), 1U);
  const VolumeMesh tetrahedron = read_mesh(folder / "bullet/single_tet.vtk");
  ASSERT_EQ(tetrahedron.warnings.size(), 1U);
  EXPECT_NE(tetrahedron.warnings[0].find("CELLS announces 1 numbers, but 1 cells with 5 follow"), std::string::npos);
}

TEST(VtkData, TrickyFilesBehaveAsTheLogSays) {
  QUARTIC_NEED_DATA(folder, "tricky");
  for (const char* name : {"b19_metadata.vtk", "b21_binary_no_separators.vtk", "b23_mixed_dims.vtk"}) {
    const VolumeMesh mesh = read_mesh(folder / name);
    expect_cube(mesh);
    const MeshReport report = check_mesh(mesh);
    EXPECT_NEAR(report.volume, 1, 1e-14) << name;
    EXPECT_EQ(report.inverted, 0) << name;
  }
  EXPECT_EQ(read_mesh(folder / "b23_mixed_dims.vtk").skipped,
            (std::map<std::string, std::int64_t>{{"line", 1}, {"tri", 2}, {"vertex", 1}}));
  try {
    (void)read_mesh(folder / "b21b_binary_truncated.vtk");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("CELL_TYPES needs 20 bytes, but only 12 remain"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace quartic
