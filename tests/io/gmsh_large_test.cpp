// Large blocks of Gmsh's version 4.1, whose lines several threads read, against the way that reads line by line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/procedural.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::MeshReading;
using test::replaced;

/// Tables of a box's file, a line each in `lines`.
struct Tables {
  std::vector<std::string> numbers, positions, elements;
};

constexpr std::int64_t first_number = 1000;  // of nodes; elements count from 1

Tables tables_of(const VolumeMesh& mesh) {
  Tables tables;
  for (std::int64_t v = 0; v < mesh.vertex_count(); ++v) {
    tables.numbers.push_back(std::to_string(first_number + v));
    std::ostringstream position;
    position.precision(17);
    for (std::int64_t c = 0; c < 3; ++c) position << mesh.vertices[static_cast<std::size_t>(3 * v + c)] << ' ';
    tables.positions.push_back(position.str());
  }
  const ElementBlock& block = mesh.blocks.front();
  const auto width = static_cast<std::size_t>(element_vertex_count(block.type));
  for (std::size_t e = 0; e < block.vertices.size() / width; ++e) {
    std::string line = std::to_string(e + 1);
    for (std::size_t n = 0; n < width; ++n) line += ' ' + std::to_string(first_number + block.vertices[e * width + n]);
    tables.elements.push_back(line);
  }
  return tables;
}

std::string joined(const std::vector<std::string>& lines, const std::string& line_end) {
  std::string text;
  for (const std::string& line : lines) text += line + line_end;
  return text;
}

/// @param before a blank line in front of each table makes the reader go line by line
std::string file_of(const Tables& tables, const std::string& line_end = "\n", const std::string& before = "") {
  const std::string nodes = std::to_string(tables.numbers.size()), elements = std::to_string(tables.elements.size());
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n7 0 0 0 1 1 1 1 3 0\n$EndEntities\n$Nodes\n1 " +
         nodes + " 1 " + nodes + "\n3 7 0 " + nodes + "\n" + before + joined(tables.numbers, line_end) + before +
         joined(tables.positions, line_end) + "$EndNodes\n$Elements\n1 " + elements + " 1 " + elements + "\n3 7 4 " +
         elements + "\n" + before + joined(tables.elements, line_end) + "$EndElements\n";
}

void expect_equal(const VolumeMesh& a, const VolumeMesh& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    EXPECT_EQ(a.blocks[k].type, b.blocks[k].type);
    EXPECT_EQ(a.blocks[k].vertices, b.blocks[k].vertices);
  }
  EXPECT_EQ(a.element_region, b.element_region);
  EXPECT_EQ(a.regions.size(), b.regions.size());
  EXPECT_EQ(a.warnings, b.warnings);
}

class LargeGmsh : public MeshReading {
 protected:
  // 4,913 nodes and 24,576 tetrahedra: lines of all tables in several pieces.
  LargeGmsh()
      : MeshReading("m.msh"),
        mesh_(make_box({.length = 1. / 3,
                        .width = 1. / 7,
                        .height = 1. / 11,
                        .cells_x = 16,
                        .cells_y = 16,
                        .cells_z = 16,
                        .type = ElementType::tet4})
                  .mesh),
        tables_(tables_of(mesh_)) {}

  /// The error names the line of the file where that text stands.
  void expect_error_at(const std::string& content, const std::string& line,
                       const std::vector<std::string>& parts) const {
    const auto at = content.find("\n" + line + "\n");
    ASSERT_NE(at, std::string::npos) << line;
    const auto number = std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(at) + 1, '\n') + 1;
    std::vector<std::string> all = parts;
    all.push_back("m.msh:" + std::to_string(number) + ":");
    expect_error(content, all);
  }

  VolumeMesh mesh_;
  Tables tables_;
};

TEST_F(LargeGmsh, IsWhatWasWritten) {
  const VolumeMesh read_back = read(file_of(tables_));
  EXPECT_EQ(read_back.vertices, mesh_.vertices);
  ASSERT_EQ(read_back.blocks.size(), 1U);
  EXPECT_EQ(read_back.blocks[0].vertices, mesh_.blocks[0].vertices);
  ASSERT_EQ(read_back.regions.size(), 1U);
  EXPECT_EQ(read_back.regions[0].name, "volume 3");
  EXPECT_EQ(read_back.element_region, std::vector<std::int32_t>(mesh_.element_region.size(), 0));
}

TEST_F(LargeGmsh, IsTheSameLineByLine) {
  expect_equal(read(file_of(tables_)), read(file_of(tables_, "\n", "\n")));
}

TEST_F(LargeGmsh, LineEndsAndBlanksDontMatter) {
  const VolumeMesh plain = read(file_of(tables_));
  expect_equal(plain, read(file_of(tables_, "\r\n")));
  expect_equal(plain, read(file_of(tables_, "\r")));
  expect_equal(plain, read(file_of(tables_, " \t \n")));
  Tables spaced = tables_;
  for (std::string& line : spaced.elements) line = " \t" + line + "  ";
  spaced.elements[12345] += "\n\n";  // blank lines: from here on, line by line
  spaced.positions[4000] = "+" + spaced.positions[4000];
  expect_equal(plain, read(file_of(spaced)));
}

// Numbers of eight and more digits, where eight at a time aren't all.
TEST_F(LargeGmsh, LongNumbers) {
  Tables tables = tables_;
  for (std::size_t v = 0; v < tables.numbers.size(); ++v) {
    const std::string from = tables.numbers[v];
    tables.numbers[v] = std::to_string(99'999'000 + static_cast<std::int64_t>(v));
  }
  for (std::string& line : tables.elements) {
    std::istringstream numbers(line);
    std::int64_t number = 0;
    numbers >> number;
    line = "1000000000000" + std::to_string(number);
    while (numbers >> number) line += ' ' + std::to_string(99'999'000 - first_number + number);
  }
  expect_equal(read(file_of(tables_)), read(file_of(tables)));
}

// Node numbers with gaps, and such that descend.
TEST_F(LargeGmsh, NodesInAnyOrder) {
  Tables tables = tables_;
  const auto count = static_cast<std::int64_t>(tables.numbers.size());
  for (std::int64_t v = 0; v < count; ++v)
    tables.numbers[static_cast<std::size_t>(v)] = std::to_string(3 * (count - v));
  for (std::string& line : tables.elements) {
    std::istringstream numbers(line);
    std::int64_t number = 0;
    numbers >> number;
    line = std::to_string(number);
    while (numbers >> number) line += ' ' + std::to_string(3 * (count - (number - first_number)));
  }
  expect_equal(read(file_of(tables_)), read(file_of(tables)));
}

// Two volumes, one after the other. (The second one's elements begin with another vertex: equal ones would be taken for
// the first one's.)
TEST_F(LargeGmsh, SeveralBlocks) {
  std::vector<std::int32_t> turned = mesh_.blocks[0].vertices;
  for (std::size_t e = 0; e < turned.size(); e += 4)
    std::rotate(turned.begin() + static_cast<std::ptrdiff_t>(e), turned.begin() + static_cast<std::ptrdiff_t>(e) + 1,
                turned.begin() + static_cast<std::ptrdiff_t>(e) + 3);
  VolumeMesh second = mesh_;
  second.blocks[0].vertices = turned;
  const std::string count = std::to_string(tables_.elements.size());
  const std::string elements = "3 7 4 " + count + "\n" + joined(tables_.elements, "\n");
  std::string text = replaced(file_of(tables_), "$Elements\n1 " + count,
                              "$Elements\n2 " + std::to_string(2 * tables_.elements.size()));
  text = replaced(text, elements, elements + "3 8 4 " + count + "\n" + joined(tables_of(second).elements, "\n"));
  const VolumeMesh both = read(text);
  std::vector<std::int32_t> expected = mesh_.blocks[0].vertices;
  expected.insert(expected.end(), turned.begin(), turned.end());
  ASSERT_EQ(both.blocks.size(), 1U);
  EXPECT_EQ(both.blocks[0].vertices, expected);
  EXPECT_EQ(both.element_region.front(), 0);
  EXPECT_EQ(both.element_region.back(), -1);  // volume 8 is in no group
}

TEST_F(LargeGmsh, QuadraticElementsAreInVtkOrder) {
  const VolumeMesh quadratic = make_quadratic(mesh_);
  const std::filesystem::path file = folder_ / "quadratic.msh";
  write_gmsh(quadratic, file);
  const VolumeMesh read_back = read_mesh(file);
  ASSERT_EQ(read_back.blocks.size(), 1U);
  EXPECT_EQ(read_back.blocks[0].vertices, quadratic.blocks[0].vertices);
  EXPECT_EQ(read_back.vertices, quadratic.vertices);
}

TEST_F(LargeGmsh, ErrorsNameTheirLine) {
  Tables tables = tables_;
  tables.elements[20000] = "20001 1000 1001 1002 77";
  expect_error_at(file_of(tables), tables.elements[20000], {"element 20001", "node 77"});
  tables.elements[20000] = "20001 1000 1001 1002";
  expect_error_at(file_of(tables), tables.elements[20000], {"element 20001", "the line ends"});
  tables.elements[20000] = "20001 1000 1001 1002 1003 1004";
  expect_error_at(file_of(tables), tables.elements[20000], {"element 20001", "more than 4 nodes"});
  tables.elements[20000] = "20001 1000 1001 1002x 1003";
  expect_error_at(file_of(tables), tables.elements[20000], {"element 20001", "'1002x'"});

  tables = tables_;
  tables.positions[4800] = "0 1e400 0";
  expect_error_at(file_of(tables), tables.positions[4800], {"node 5800"});
  tables.positions[4800] = "0 nan 0";
  expect_error_at(file_of(tables), tables.positions[4800], {"node 5800"});

  tables = tables_;
  tables.numbers[4800] = "1003";
  tables.positions[4800] = "0 0 17";
  expect_error_at(file_of(tables), tables.positions[4800], {"node 1003 is defined a second time"});
}

TEST_F(LargeGmsh, CountsThatLieAreRefused) {
  const std::string text = file_of(tables_), count = std::to_string(tables_.elements.size());
  for (const char* lie : {"24577", "9000000000", "4611686018427387904", "9223372036854775807"})
    expect_error(replaced(text, "3 7 4 " + count, std::string("3 7 4 ") + lie), {"$EndElements"});
  expect_error(text.substr(0, text.find("\n20000 ") + 1), {"cut short"});
  expect_error(replaced(text, "3 7 4 " + count, "3 7 4 24575"), {"24576 elements", "24575"});
}

}  // namespace
}  // namespace quartic
