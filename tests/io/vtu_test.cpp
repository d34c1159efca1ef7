// VTK's XML unstructured grids: all the ways in which arrays can be kept in them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/procedural.hpp"
#include "support/base64.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::base64;
using test::DamagedReads;
using test::MeshReading;
using test::replaced;

struct Form {
  enum Format { ascii, binary, appended_base64, appended_raw } format = ascii;
  bool deflated = false;
  bool wide_header = true;
  bool big_endian = false;
  std::size_t block_size = 24;  // bytes, so that arrays have several blocks and a last one that is or isn't full
};

template <class T>
std::string bytes_of(T number, bool big_endian) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// Writes a file array by array.
class XmlFile {
 public:
  explicit XmlFile(const Form& form) : form_(form) {
    text_ =
        "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"";
    text_ += form.big_endian ? "BigEndian\"" : "LittleEndian\"";
    text_ += form.wide_header ? " header_type=\"UInt64\"" : "";  // UInt32 is the default
    text_ += form.deflated ? " compressor=\"vtkZLibDataCompressor\">\n" : ">\n";
    text_ += "<UnstructuredGrid>\n";
  }
  XmlFile& line(const std::string& more) {
    text_ += more + "\n";
    return *this;
  }
  template <class T>
  XmlFile& array(const std::string& type, const std::string& name, const std::vector<T>& values,
                 const std::string& more = {}) {
    text_ += "<DataArray type=\"" + type + "\" Name=\"" + name + "\" " + more;
    if (form_.format == Form::ascii) {
      std::ostringstream numbers;
      for (const T value : values) numbers << +value << ' ';
      text_ += "format=\"ascii\">\n" + numbers.str() + "\n</DataArray>\n";
      return *this;
    }
    std::string plain;
    for (const T value : values) plain += bytes_of(value, form_.big_endian);
    const std::string kept = form_.deflated ? deflated(plain) : not_deflated(plain);
    if (form_.format == Form::binary) {
      text_ += "format=\"binary\">\n  " + kept + "\n</DataArray>\n";
    } else {
      text_ += "format=\"appended\" offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
      appended_ += kept;
    }
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::string whole = text_ + "</UnstructuredGrid>\n";
    if (form_.format >= Form::appended_base64)
      whole += "<AppendedData encoding=\"" + std::string(form_.format == Form::appended_raw ? "raw" : "base64") +
               "\">\n   _" + appended_ + "\n</AppendedData>\n";
    return whole + "</VTKFile>\n";
  }

 private:
  [[nodiscard]] std::string size(std::size_t bytes) const {
    return form_.wide_header ? bytes_of<std::uint64_t>(bytes, form_.big_endian)
                             : bytes_of(static_cast<std::uint32_t>(bytes), form_.big_endian);
  }
  [[nodiscard]] std::string encoded(const std::string& bytes) const {
    return form_.format == Form::appended_raw ? bytes : base64(bytes);
  }
  [[nodiscard]] std::string not_deflated(const std::string& plain) const { return encoded(size(plain.size()) + plain); }
  [[nodiscard]] std::string deflated(const std::string& plain) const {
    std::string sizes, blocks;
    std::size_t count = 0;
    for (std::size_t at = 0; at < plain.size(); at += form_.block_size, ++count) {
      const std::string block = plain.substr(at, form_.block_size);
      std::string packed(compressBound(static_cast<uLong>(block.size())), '\0');
      uLongf packed_size = static_cast<uLongf>(packed.size());
      compress(reinterpret_cast<Bytef*>(packed.data()), &packed_size, reinterpret_cast<const Bytef*>(block.data()),
               static_cast<uLong>(block.size()));
      sizes += size(packed_size);
      blocks += packed.substr(0, packed_size);
    }
    // Header and blocks are encoded apart.
    return encoded(size(count) + size(form_.block_size) + size(plain.size() % form_.block_size) + sizes) +
           encoded(blocks);
  }

  Form form_;
  std::string text_, appended_;
};

const std::vector<double> vtu_points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
const std::vector<std::int32_t> cube_elements = {1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7};

// A cube of five tetrahedra and a triangle, in two regions; a set of vertices; data that mean nothing.
std::string vtu_cube(const Form& form) {
  XmlFile file(form);
  file.line("<FieldData>").array<double>("Float64", "TimeValue", {0.5}, "NumberOfTuples=\"1\" ").line("</FieldData>");
  file.line("<Piece NumberOfPoints=\"8\" NumberOfCells=\"6\">");
  file.line("<PointData>").array("Float64", "u", vtu_points, "NumberOfComponents=\"3\" ");
  file.array<std::uint8_t>("UInt8", "held &amp; more", {1, 0, 1, 0, 0, 0, 0, 1});
  file.array<std::uint8_t>("UInt8", "level", {1, 0, 1, 0, 0, 0, 0, 2}).line("</PointData>");
  file.line("<CellData>").array<std::int64_t>("Int64", "MaterialIds", {7, 7, 9, 9, 9, 3}).line("</CellData>");
  file.line("<Points>").array("Float64", "Points", vtu_points, "NumberOfComponents=\"3\" ").line("</Points>");
  std::vector<std::int32_t> nodes = cube_elements;
  nodes.insert(nodes.end(), {0, 1, 2});
  file.line("<Cells>").array("Int32", "connectivity", nodes);
  file.array<std::uint64_t>("UInt64", "offsets", {4, 8, 12, 16, 20, 23});
  file.array<std::uint8_t>("UInt8", "types", {10, 10, 10, 10, 10, 5}).line("</Cells>").line("</Piece>");
  return file.text();
}

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const auto format : {Form::ascii, Form::binary, Form::appended_base64, Form::appended_raw})
    for (const bool is_deflated : {false, true})
      for (const bool wide : {false, true})
        for (const bool big : {false, true})
          for (const std::size_t block : {std::size_t{24}, std::size_t{1} << 15})
            if ((is_deflated || block == 24) && (format != Form::ascii || !is_deflated))
              forms.push_back({format, is_deflated, wide, big, block});
  return forms;
}

void expect_vtu_cube(const VolumeMesh& mesh) {
  EXPECT_EQ(mesh.vertices, vtu_points);
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
  EXPECT_EQ(mesh.blocks[0].vertices, cube_elements);
  ASSERT_EQ(mesh.regions.size(), 2U);
  EXPECT_EQ(mesh.regions[0].name, "7");
  EXPECT_EQ(mesh.regions[1].name, "9");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 0, 1, 1, 1}));
  EXPECT_EQ(mesh.skipped, (std::map<std::string, std::int64_t>{{"tri", 1}}));
  EXPECT_EQ(mesh.vertex_sets,
            (std::map<std::string, std::vector<std::int32_t>>{{"held & more", {0, 2, 7}}, {"surface 3", {0, 1, 2}}}));
  EXPECT_TRUE(mesh.warnings.empty());
}

class Vtu : public MeshReading {
 protected:
  Vtu() : MeshReading("m.vtk") {}
};

TEST_F(Vtu, AllFormsAreTheSameMesh) {
  for (const Form& form : all_forms()) {
    SCOPED_TRACE(testing::Message() << form.format << form.deflated << form.wide_header << form.big_endian << " "
                                    << form.block_size);
    expect_vtu_cube(read(vtu_cube(form)));
  }
}

TEST_F(Vtu, TakesWhatToolsWrite) {
  const std::string text = vtu_cube({});
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_vtu_cube(read(windows));
  expect_vtu_cube(read(replaced(text, "<?xml version=\"1.0\"?>\n<!-- by hand -->\n", "")));
  expect_vtu_cube(read(replaced(text, "Name=\"Points\" ", "")));
  // The first points of an array keep its range.
  expect_vtu_cube(read(replaced(text, "</DataArray>\n</Points>",
                                "<InformationKey name=\"L2_NORM_RANGE\" location=\"vtkDataArray\" length=\"2\">\n"
                                "<Value index=\"0\">\n0\n</Value>\n</InformationKey></DataArray>\n</Points>")));
  expect_vtu_cube(read(replaced(text, "header_type", "compressor=\"vtkLZ4DataCompressor\" header_type")));  // but text
  // Base64 in several lines.
  std::string broken = vtu_cube({.format = Form::binary});
  const auto begin = broken.find("  ", broken.find("connectivity")) + 2, end = broken.find('\n', begin);
  for (auto at = begin + (end - begin) / 11 * 11; at > begin; at -= 11) broken.insert(at, "\n ");
  expect_vtu_cube(read(broken));
}

// Headers that are encoded by themselves, with their own padding.
TEST_F(Vtu, HeadersOfTheirOwn) {
  const std::string types = bytes_of<std::uint64_t>(6, false), values("\x0A\x0A\x0A\x0A\x0A\x05", 6);
  const std::string text = vtu_cube({.format = Form::binary});
  expect_vtu_cube(read(replaced(text, base64(types + values), base64(types) + base64(values))));
}

TEST_F(Vtu, PiecesLieSideBySide) {
  for (const Form& form : all_forms()) {
    XmlFile file(form);
    for (int piece = 0; piece < 2; ++piece) {
      file.line("<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">");
      file.line("<CellData>").array<std::int32_t>("Int32", "region", {4 - piece}).line("</CellData>");
      file.line("<Points>");
      file.array<float>("Float32", "Points", {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.F + static_cast<float>(piece)});
      file.line("</Points>").line("<Cells>").array<std::int64_t>("Int64", "connectivity", {0, 1, 2, 3});
      file.array<std::int64_t>("Int64", "offsets", {4}).array<std::uint8_t>("UInt8", "types", {10}).line("</Cells>");
      file.line("</Piece>").line("<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"></Piece>");
    }
    const VolumeMesh mesh = read(file.text());
    EXPECT_EQ(mesh.vertex_count(), 8);
    EXPECT_EQ(mesh.vertices[23], 2);
    EXPECT_EQ(mesh.blocks[0].vertices, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(mesh.regions[1].name, "3");
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1}));
    ASSERT_EQ(mesh.warnings.size(), 1U);
    EXPECT_NE(mesh.warnings[0].find("2 pieces"), std::string::npos);
  }
  // A piece can't refer to points of another.
  std::string text = XmlFile({}).text();
  const std::string piece =
      "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<Points><DataArray type=\"Float32\">0 0 0 1 0 0 0 1 0 0 0 1"
      "</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 4</DataArray>"
      "<DataArray type=\"Int32\" Name=\"offsets\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\">10</DataArray>"
      "</Cells></Piece>\n";
  const std::string good = replaced(piece, "0 1 2 4", "0 1 2 3");
  expect_error(replaced(text, "</Unstr", piece + good + "</Unstr"), {"m.vtk:5", "cell 0 refers to point 4"});
}

// As quartic writes it: names of regions in the field data, materials element by element.
std::string with_materials(const std::string& youngs_moduli) {
  return "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><FieldData>"
         "<DataArray type=\"Int32\" Name=\"region 0: steel: a &lt; b\" NumberOfTuples=\"1\">0</DataArray>"
         "<DataArray type=\"Int32\" Name=\"region 1: unused\" NumberOfTuples=\"1\">1</DataArray>"
         "<DataArray type=\"Int32\" Name=\"region 2: rubber\" NumberOfTuples=\"1\">2</DataArray></FieldData>"
         "<Piece NumberOfPoints=\"4\" NumberOfCells=\"3\"><CellData>"
         "<DataArray type=\"Int32\" Name=\"region\">2 0 -1</DataArray>"
         "<DataArray type=\"Float64\" Name=\"youngs_modulus\">" +
         youngs_moduli +
         "</DataArray><DataArray type=\"Float64\" Name=\"poissons_ratio\">0.45 0.3 nan</DataArray>"
         "<DataArray type=\"Float64\" Name=\"density\">900 7800 nan</DataArray></CellData>"
         "<Points><DataArray type=\"Float32\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>"
         "<Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3 0 1 2 3 0 1 2 3</DataArray>"
         "<DataArray type=\"Int32\" Name=\"offsets\">4 8 12</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\">10 10 10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
}

TEST_F(Vtu, RegionsHaveNamesAndMaterials) {
  const VolumeMesh mesh = read(with_materials("1e6 2.1e11 nan"));
  ASSERT_EQ(mesh.regions.size(), 3U);
  EXPECT_EQ(mesh.regions[0].name, "steel: a < b");
  EXPECT_EQ(mesh.regions[1].name, "unused");
  EXPECT_EQ(mesh.regions[2].name, "rubber");
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{2, 0, -1}));
  ASSERT_TRUE(mesh.regions[0].material && mesh.regions[2].material);
  EXPECT_FALSE(mesh.regions[1].material);
  EXPECT_EQ(mesh.regions[0].material->youngs_modulus, 2.1e11);
  EXPECT_EQ(mesh.regions[0].material->poissons_ratio, 0.3);
  EXPECT_EQ(mesh.regions[0].material->density, 7800);
  EXPECT_EQ(mesh.regions[2].material->youngs_modulus, 1e6);
  EXPECT_TRUE(mesh.warnings.empty());

  const VolumeMesh missing = read(with_materials("nan 2.1e11 nan"));
  EXPECT_FALSE(missing.regions[2].material);
  EXPECT_TRUE(missing.regions[0].material);
  EXPECT_TRUE(missing.warnings.empty());

  const VolumeMesh differs = read(replaced(with_materials("1e6 2e6 nan"), ">2 0 -1<", ">2 2 -1<"));
  EXPECT_FALSE(differs.regions[2].material);
  ASSERT_EQ(differs.warnings.size(), 1U);
  EXPECT_NE(differs.warnings[0].find("differs within 1 region"), std::string::npos);
  const VolumeMesh none = read(replaced(with_materials("1e6 2e6 nan"), "\"region\"", "\"place\""));
  EXPECT_TRUE(none.regions.empty());
  EXPECT_EQ(none.warnings.size(), 1U);
}

TEST_F(Vtu, WhatQuarticWritesIsReadBack) {
  VolumeMesh mesh;
  mesh.vertices = vtu_points;
  mesh.vertices[0] = 1.0 / 3;
  mesh.blocks = {{ElementType::tet4, cube_elements}, {ElementType::wedge6, {0, 1, 2, 4, 5, 6}}};
  mesh.element_region = {1, 1, 0, 2, 2, 0};
  mesh.regions = {
      {"a \"part\"", Material{1e6, 0.45, 1000}}, {"region 7: b", Material{2e6, 0.3, 500}}, {"c", Material{1, 0, 1}}};
  mesh.vertex_sets = {{"ends", {0, 7}}, {"none", {}}};
  write_vtu(mesh, folder_ / "m.vtu");
  const VolumeMesh again = read_mesh(folder_ / "m.vtu");
  EXPECT_EQ(again.vertices, mesh.vertices);
  ASSERT_EQ(again.blocks.size(), 2U);
  for (std::size_t b = 0; b < 2; ++b) {
    EXPECT_EQ(again.blocks[b].type, mesh.blocks[b].type);
    EXPECT_EQ(again.blocks[b].vertices, mesh.blocks[b].vertices);
  }
  EXPECT_EQ(again.element_region, mesh.element_region);
  EXPECT_EQ(again.vertex_sets, mesh.vertex_sets);
  EXPECT_TRUE(again.warnings.empty());
  ASSERT_EQ(again.regions.size(), 3U);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(again.regions[r].name, mesh.regions[r].name);
    ASSERT_TRUE(again.regions[r].material);
    EXPECT_EQ(again.regions[r].material->youngs_modulus, mesh.regions[r].material->youngs_modulus);
    EXPECT_EQ(again.regions[r].material->poissons_ratio, mesh.regions[r].material->poissons_ratio);
    EXPECT_EQ(again.regions[r].material->density, mesh.regions[r].material->density);
  }
}

TEST_F(Vtu, ErrorsNameLineAndArray) {
  const std::string text = vtu_cube({}), raw = vtu_cube({.format = Form::appended_raw});
  const std::string packed = vtu_cube({.format = Form::binary, .deflated = true});
  expect_error(replaced(text, "1 2 4 7", "1 2 4 8"), {"m.vtk:10: cell 0 refers to point 8, but there are 8 points"});
  expect_error(replaced(text, "1 2 4 7", "1 2 4"),
               {"m.vtk:33: array 'connectivity' has 22 numbers, but should have 23"});
  expect_error(replaced(text, "1 2 4 7", "1 2 4 7 7"), {"array 'connectivity' has more than 23 numbers"});
  expect_error(replaced(text, "1 2 4 7", "1 2 4 x"), {"array 'connectivity' should have integers, not 'x'"});
  expect_error(replaced(text, "4 8 12", "4 2 12"), {"cell 1 ends at 2", "damaged"});
  expect_error(replaced(text, "20 23", "20 24"), {"array 'connectivity' has 23 numbers, but should have 24"});
  expect_error(replaced(text, "20 23", "20 9000000000000"), {"array 'offsets' ends with 9000000000000"});
  expect_error(replaced(text, "20 23", "20 -1"), {"array 'offsets' ends with -1"});
  expect_error(replaced(text, "10 10 10 10 10 5", "10 10 10 10 10 42"), {"cell 5 is a polyhedron"});
  expect_error(replaced(text, "Int32\" Name=\"conn", "Float32\" Name=\"conn"),
               {"'connectivity' can't be of type 'Float32'"});
  expect_error(replaced(text, "NumberOfPoints=\"8\"", ""), {"m.vtk:10", "NumberOfPoints"});
  expect_error(replaced(text, "NumberOfPoints=\"8\"", "NumberOfPoints=\"-8\""), {"m.vtk:10", "NumberOfPoints"});
  expect_error(replaced(text, "NumberOfCells=\"6\"", "NumberOfCells=\"999999999999\""), {"more than a file of"});
  expect_error(replaced(text, "NumberOfCells=\"6\"", "NumberOfCells=\"7\""),
               {"'offsets' has 6 numbers, but should have 7"});
  expect_error(replaced(raw, "NumberOfCells=\"6\"", "NumberOfCells=\"7\""),
               {"'offsets' has 48 bytes by its own header, but should have 56"});
  expect_error(replaced(text, "connectivity", "Connections"), {"m.vtk:10", "no array 'connectivity'"});
  expect_error(replaced(text, "\"UnstructuredGrid\"", "\"PolyData\""), {"m.vtk:3", "'PolyData'", "surface"});
  expect_error(replaced(text, "\"UnstructuredGrid\"", "\"ImageData\""), {"'ImageData'", "Append Datasets"});
  expect_error(replaced(text, "\"UnstructuredGrid\"", "\"PUnstructuredGrid\""), {"lists pieces"});
  expect_error(replaced(text, "\"UnstructuredGrid\"", "\"Collection\""), {"series"});
  expect_error(replaced(text, "\"LittleEndian\"", "\"MiddleEndian\""), {"byte_order", "'MiddleEndian'"});
  expect_error(replaced(text, "\"UInt64\"", "\"UInt16\""), {"header_type", "'UInt16'"});
  expect_error(replaced(packed, "vtkZLib", "vtkLZ4"), {"'vtkLZ4DataCompressor'", "zlib or without compression"});
  expect_error(replaced(packed, "vtkZLib", "vtkLZMA"), {"'vtkLZMADataCompressor'", "zlib or without compression"});
  const std::string types = "Name=\"types\" format=\"appended\" offset=\"";
  expect_error(replaced(raw, types, types + "99"), {"array 'types' should begin at byte '99", "cut short"});
  expect_error(replaced(raw, types, types + "-"), {"array 'types' should begin at byte '-"});
  expect_error(replaced(raw, "<AppendedData encoding=\"raw\">\n   _", "<AppendedData encoding=\"raw\">\n   "),
               {"underscore"});
  expect_error(replaced(text, "</Cells>", "</Cell>"), {"no well-formed XML"});
  expect_error(text.substr(0, text.find("types")), {"no well-formed XML", "cut short"});
  expect_error(raw.substr(0, raw.size() - 30), {"cut short"});
  expect_error("<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid/></VTKFile>", {"no <Piece>"});
  expect_error("<VTKFile type=\"UnstructuredGrid\"/>", {"no <UnstructuredGrid>"});
}

// Headers that promise what the file can't hold are refused before memory is taken for them.
TEST_F(Vtu, LyingHeadersAreRefused) {
  const auto file = [](const std::string& header, const std::string& count) {
    return "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">"
           "<UnstructuredGrid><Piece NumberOfPoints=\"" +
           count +
           "\" NumberOfCells=\"0\"><Points>"
           "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">" +
           base64(header) + base64("xxxxxxxx") + "</DataArray></Points></Piece></UnstructuredGrid></VTKFile>";
  };
  const auto numbers = [](const std::vector<std::uint64_t>& values) {
    std::string bytes;
    for (const auto value : values) bytes += bytes_of(value, false);
    return bytes;
  };
  const std::uint64_t huge = ~std::uint64_t{0};
  expect_error(file(numbers({1, 24000, 0, 8}), "1000"), {"24000, more than is possible"});
  expect_error(file(numbers({1, 24, 0, 8}), "1"), {"can't be inflated: block 0 is damaged"});
  expect_error(file(numbers({1, 24, 0, 800}), "1"), {"needs 800 bytes", "cut short"});
  expect_error(file(numbers({1, 24, 0, 8}), "2"), {"has 24 bytes by its own header, but should have 48"});
  expect_error(file(numbers({huge, 24, 0, 8}), "1"), {"announces 18446744073709551615 blocks"});
  expect_error(file(numbers({1, huge, 0, 8}), "1"), {"more than is possible"});
  expect_error(file(numbers({1, 24, huge, 8}), "1"), {"more than is possible"});
  expect_error(file(numbers({2, 24, 0, 8, huge}), "2"), {"needs 18446744073709551615 bytes"});
  expect_error(file(numbers({1}), "1"), {"bytes", "cut short"});
  expect_error(file({}, "600000000000"), {"more than a file of"});
}

TEST_F(Vtu, OffsetsThatOverflowAreRefused) {
  const std::string text = replaced(vtu_cube({}), "4 8 12", "4 -9223372036854775808 -1");
  expect_error(replaced(text, "10 10 10", "10 7 7"), {"cell 1 ends at -9223372036854775808", "damaged"});
}

// All of them name the same few bytes.
TEST_F(Vtu, ArraysThatShareTheirBytesCantMakeMuchOfALittle) {
  VolumeMesh mesh = make_box({.cells_x = 20, .cells_y = 20, .cells_z = 20}).mesh;
  mesh.vertex_sets["all"].assign(static_cast<std::size_t>(mesh.vertex_count()), 0);
  write_vtu(mesh, folder_ / "box.vtu");
  std::ifstream file(folder_ / "box.vtu", std::ios::binary);
  std::string box((std::istreambuf_iterator<char>(file)), {});
  const auto begin = box.find("<DataArray", box.find("<PointData"));
  const std::string array = box.substr(begin, box.find("/>", begin) + 2 - begin);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += array;
  expect_error(box.insert(begin, many), {"is one too many"});
}

TEST_F(Vtu, GhostCellsAreLeftOut) {
  const std::string ghosts =
      "<DataArray type=\"UInt8\" Name=\"vtkGhostType\" format=\"ascii\">0 1 0 32 2 0</DataArray>";
  const VolumeMesh mesh = read(replaced(vtu_cube({}), "<CellData>", "<CellData>" + ghosts));
  EXPECT_EQ(mesh.element_count(), 3);
  EXPECT_EQ(mesh.skipped.at("ghost cell"), 2);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 1}));
}

// VTK's documents have a wedge's first triangle face away from the second one.
TEST_F(Vtu, WedgesAreTurnedWhereAllAreVtks) {
  const auto file = [](const std::string& second) {
    return "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"9\" "
           "NumberOfCells=\"2\"><Points>"
           "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"
           "0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 0 0 2 1 0 2 0 1 2</DataArray></Points><Cells>"
           "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 2 1 3 5 4 " +
           second +
           "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">6 12</DataArray>"
           "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">13 "
           "13</DataArray></Cells></Piece></UnstructuredGrid>"
           "</VTKFile>";
  };
  EXPECT_EQ(read(file("3 5 4 6 8 7")).blocks.at(0).vertices,
            (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8}));
  const VolumeMesh mixed = read(file("3 4 5 6 7 8"));
  EXPECT_EQ(mixed.blocks.at(0).vertices, (std::vector<std::int32_t>{0, 2, 1, 3, 5, 4, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(check_mesh(mixed).inverted, 1);
}

TEST_F(Vtu, EveryPrefixIsRefused) {
  for (const Form& form : all_forms()) {
    if (form.big_endian || form.block_size > 24) continue;
    const std::string file = vtu_cube(form);
    const std::size_t whole = file.find("</VTKFile>") + 9;
    for (std::size_t size = 0; size < whole; ++size)
      EXPECT_THROW((void)read(file.substr(0, size)), ParseError) << form.format << " " << size;
  }
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(Vtu, SurvivesDamage) {
  std::mt19937_64 engine(7);
  DamagedReads damaged;
  for (const Form& form : all_forms())
    for (int n = 0; n < 60; ++n) {
      std::string text = vtu_cube(form);
      for (auto times = 1 + engine() % 2; times > 0; --times) {
        // Half of the damage is to the arrays, where a file has them at its end.
        const std::size_t begin = engine() % 2 == 0 ? text.find("<CellData>") : 0;
        const std::size_t at = begin + engine() % (text.size() - begin);
        constexpr std::string_view telling("0123456789+-=A<>/\" \0\xFF", 21);
        constexpr const char* numbers[] = {"99999999", "2147483648", "9223372036854775807", "-1", "nan", "1e999"};
        switch (engine() % 4) {
          case 0:
            text.erase(at, 1 + engine() % 8);
            break;
          case 1:
            text.insert(at, text.substr(engine() % text.size(), engine() % 40));
            break;
          case 2:
            text.replace(at, 1, numbers[engine() % 6]);
            break;
          default:
            text[at] = telling[engine() % telling.size()];
        }
        if (text.find("<CellData>") == std::string::npos) break;
      }
      damaged.take([&] { return read(text); });
    }
  EXPECT_GT(damaged.read, 100);
  EXPECT_GT(damaged.refused, 500);
}

}  // namespace
}  // namespace quartic
