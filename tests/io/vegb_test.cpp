// VegaFEM's binary meshes. The bytes are put together here from the description of the layout alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::MeshReading;

/// Numbers one after the other, in the order of this machine's bytes or the other one.
class VegbBytes {
 public:
  explicit VegbBytes(bool swapped) : swapped_(swapped) {}
  VegbBytes& integers(const std::vector<std::int32_t>& values) {
    for (const auto value : values) append(std::bit_cast<std::array<char, 4>>(value));
    return *this;
  }
  VegbBytes& numbers(const std::vector<double>& values) {
    for (const auto value : values) append(std::bit_cast<std::array<char, 8>>(value));
    return *this;
  }
  VegbBytes& name(const std::string& text) {
    integers({static_cast<std::int32_t>(text.size())});
    content_ += text;
    return *this;
  }
  [[nodiscard]] const std::string& content() const { return content_; }

 private:
  template <std::size_t size>
  void append(std::array<char, size> bytes) {
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    content_.append(bytes.data(), size);
  }
  bool swapped_;
  std::string content_;
};

const std::vector<double> vegb_cube = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
const std::vector<std::int32_t> five = {1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7};

struct Parts {
  std::int32_t type = 1, width = 4;
  std::vector<double> vertices = vegb_cube;
  std::vector<std::int32_t> elements = five;
  std::vector<std::int32_t> upper = {1, 4};       // elements of the set "upper part"
  std::vector<std::int32_t> regions = {1, 0, 0};  // count, then material and set of each
  std::int32_t further_kind = 2;
  std::string further_set = "";  // of element 0
};

std::string bytes_of(const Parts& parts, bool swapped = false) {
  VegbBytes bytes(swapped);
  bytes.numbers({1.0}).integers({parts.type, static_cast<std::int32_t>(parts.vertices.size() / 3)});
  bytes.numbers(parts.vertices);
  bytes.integers({static_cast<std::int32_t>(parts.elements.size()) / parts.width, parts.width})
      .integers(parts.elements);
  bytes.integers({3});
  bytes.name("rubber").integers({1}).numbers({1000, 1e6, 0.45});
  bytes.name("steel").integers({1}).numbers({7800, 2.1e11, 0.25});
  bytes.name("wood").integers({parts.further_kind}).numbers(std::vector<double>(parts.further_kind == 2 ? 19 : 4, 1.0));
  bytes.integers({3});  // allElements isn't written
  bytes.name("upper part").integers({static_cast<std::int32_t>(parts.upper.size())}).integers(parts.upper);
  bytes.name(parts.further_set).integers({1, 0});
  bytes.integers(parts.regions);
  return bytes.content();
}

class Vegb : public MeshReading {};

void expect_material(const Region& region, const std::string& name, double density, double youngs, double poissons) {
  EXPECT_EQ(region.name, name);
  ASSERT_TRUE(region.material);
  EXPECT_EQ(region.material->density, density);
  EXPECT_EQ(region.material->youngs_modulus, youngs);
  EXPECT_EQ(region.material->poissons_ratio, poissons);
}

TEST_F(Vegb, MeshSetsAndMaterialsInBothByteOrders) {
  Parts parts;
  parts.regions = {2, 0, 0, 1, 1};
  for (const bool swapped : {false, true}) {
    const VolumeMesh mesh = read(bytes_of(parts, swapped));
    EXPECT_EQ(mesh.vertices, vegb_cube);
    ASSERT_EQ(mesh.blocks.size(), 1U);
    EXPECT_EQ(mesh.blocks[0].type, ElementType::tet4);
    EXPECT_EQ(mesh.blocks[0].vertices, five);
    ASSERT_EQ(mesh.regions.size(), 2U);
    expect_material(mesh.regions[0], "allElements", 1000, 1e6, 0.45);
    expect_material(mesh.regions[1], "upper part", 7800, 2.1e11, 0.25);
    EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{0, 1, 0, 0, 1}));  // the later region wins
    ASSERT_EQ(mesh.warnings.size(), 1U);
    EXPECT_NE(mesh.warnings[0].find("2 elements are in more than one region"), std::string::npos) << mesh.warnings[0];
    EXPECT_NE(mesh.warnings[0].find("allElements, then upper part"), std::string::npos) << mesh.warnings[0];
  }
}

// Each keeps its material.
TEST_F(Vegb, SetsOfOneNameAreRegionsOfOneName) {
  Parts parts;
  parts.further_set = "upper part";
  parts.regions = {2, 0, 1, 1, 2};
  const VolumeMesh mesh = read(bytes_of(parts));
  ASSERT_EQ(mesh.regions.size(), 2U);
  expect_material(mesh.regions[0], "upper part", 1000, 1e6, 0.45);
  expect_material(mesh.regions[1], "upper part", 7800, 2.1e11, 0.25);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{1, 0, -1, -1, 0}));
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("'upper part#2'"), std::string::npos) << mesh.warnings[0];
}

TEST_F(Vegb, OneRegionWithoutWarnings) {
  Parts parts;
  parts.regions = {1, 1, 1};
  const VolumeMesh mesh = read(bytes_of(parts));
  ASSERT_EQ(mesh.regions.size(), 1U);
  expect_material(mesh.regions[0], "upper part", 7800, 2.1e11, 0.25);
  EXPECT_EQ(mesh.element_region, (std::vector<std::int32_t>{-1, 0, -1, -1, 0}));
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST_F(Vegb, Hexahedra) {
  Parts parts;
  parts.type = 2;
  parts.width = 8;
  parts.elements = {0, 1, 3, 2, 4, 5, 7, 6};
  parts.upper = {0};
  parts.regions = {1, 0, 0};
  const VolumeMesh mesh = read(bytes_of(parts));
  ASSERT_EQ(mesh.blocks.size(), 1U);
  EXPECT_EQ(mesh.blocks[0].type, ElementType::hex8);
  EXPECT_EQ(mesh.blocks[0].vertices, parts.elements);
  EXPECT_NEAR(check_mesh(mesh).volume, 1, 1e-15);  // a sum of eight terms
}

TEST_F(Vegb, OtherMaterialsLeaveTheRegionWithoutOne) {
  Parts parts;
  parts.further_kind = 2;
  parts.regions = {1, 2, 0};
  const VolumeMesh mesh = read(bytes_of(parts));
  ASSERT_EQ(mesh.regions.size(), 1U);
  EXPECT_FALSE(mesh.regions[0].material);
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("material 'wood' is of kind ORTHOTROPIC"), std::string::npos);
}

TEST_F(Vegb, MooneyRivlinBecomesTheLaw) {
  Parts parts;
  parts.further_kind = 3;
  parts.regions = {1, 2, 0};
  const VolumeMesh mesh = read(bytes_of(parts));
  ASSERT_EQ(mesh.regions.size(), 1U);
  ASSERT_TRUE(mesh.regions[0].material);
  EXPECT_EQ(mesh.regions[0].material->law, MaterialLaw::mooney_rivlin);
  EXPECT_EQ(mesh.regions[0].material->mooney_share, 0.5);
  EXPECT_NEAR(lame_mu(*mesh.regions[0].material), 4, 1e-14);
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("withstands inversion"), std::string::npos);
}

TEST_F(Vegb, BytesBehindTheMeshAreNamed) {
  Parts parts;
  parts.regions = {1, 0, 0};
  const VolumeMesh mesh = read(bytes_of(parts) + "more");
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("4 bytes follow the mesh"), std::string::npos);
}

TEST_F(Vegb, DamageIsNamedWithItsPlace) {
  Parts parts;
  parts.elements[5] = 8;
  expect_error(bytes_of(parts),
               {"m.txt: byte ", "element 1 has vertex 8, but the file has 8 vertices, counted from 0"});
  parts.elements[5] = -1;
  expect_error(bytes_of(parts), {"element 1 has vertex -1"});
  parts = {};
  parts.width = 5;
  expect_error(bytes_of(parts), {"elements should have 4 vertices, but the file says 5"});
  parts = {};
  parts.upper = {5};
  expect_error(bytes_of(parts), {"set 'upper part' has element 5, but the file has 5 elements"});
  parts = {};
  parts.vertices[4] = std::numeric_limits<double>::quiet_NaN();
  expect_error(bytes_of(parts), {"a vertex's coordinate is not a finite number"});
  parts = {};
  parts.further_kind = 4;
  expect_error(bytes_of(parts), {"material 'wood' is of kind 4"});
  parts = {};
  parts.regions = {1, 3, 0};
  expect_error(bytes_of(parts), {"region 0 has material 3, but the file has 3"});
  parts.regions = {1, 0, 3};
  expect_error(bytes_of(parts), {"region 0 has set 3, but the file has 3"});
  parts.regions = {1000000000};
  expect_error(bytes_of(parts), {"1000000000 regions need at least 8 bytes each, but only 0 remain"});
  expect_error(VegbBytes(false).numbers({1}).integers({1, 2000000000, 0, 0}).content(), {"2000000000 vertices"});
  expect_error(VegbBytes(false).numbers({1}).integers({1, -5}).content(), {"vertices have the negative count -5"});
}

TEST_F(Vegb, OtherVersionsAndTypesAreNotOurs) {
  expect_error(VegbBytes(false).numbers({1.5}).integers({1, 0}).content(), {"known formats"});
  expect_error(VegbBytes(false).numbers({1}).integers({3, 0}).content(), {"known formats"});
}

TEST_F(Vegb, CutAnywhereIsAnError) {
  Parts parts;
  parts.regions = {2, 0, 0, 1, 1};
  const std::string whole = bytes_of(parts);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW((void)read(whole.substr(0, length)), ParseError) << length;
}

TEST_F(Vegb, DamagedAnywhereIsAMeshOrAnError) {
  Parts parts;
  parts.regions = {2, 0, 0, 1, 1};
  const std::string whole = bytes_of(parts);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\1', '\x7F', '\xFF'}) {
      std::string damaged = whole;
      damaged[at] = value;
      try {
        (void)check_mesh(read(damaged));
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    }
}

}  // namespace
}  // namespace quartic
