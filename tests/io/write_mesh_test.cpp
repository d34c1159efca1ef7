// Mesh files that quartic writes: read back bit by bit, or looked at as their format's description has them.
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "quartic/quartic.hpp"
#include "support/files.hpp"
#include "support/support.hpp"
#include "support/vtu_document.hpp"

namespace quartic {
namespace {

using test::file_text;
using test::VtuDocument;

constexpr Material rubber{.youngs_modulus = 1e6 / 3, .poissons_ratio = 0.1 + 0.2, .density = 1e3 / 7};
constexpr Material wood{.youngs_modulus = 1e10, .poissons_ratio = 0.25, .density = 700};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Two elements of each of the types on vertices of their own, regions that alternate, and a vertex outside of all.
VolumeMesh mesh_of_types(const std::vector<ElementType>& types) {
  VolumeMesh mesh;
  std::int32_t vertex = 0;
  for (const ElementType type : types) {
    ElementBlock& block = mesh.blocks.emplace_back();
    block.type = type;
    for (int n = 2 * element_vertex_count(type); n > 0; --n) block.vertices.push_back(vertex++);
    mesh.element_region.insert(mesh.element_region.end(), {1, 0});
  }
  mesh.vertices = test::random_numbers(3 * static_cast<std::size_t>(vertex + 1), 3);
  mesh.regions = {{"left", rubber}, {"right", wood}};
  mesh.vertex_sets = {{"held", {0, 2, vertex}}, {"pulled", {1, 2}}};
  return mesh;
}

VolumeMesh mesh_of_all_types() {
  VolumeMesh mesh = mesh_of_types({ElementType::tet4, ElementType::tet10, ElementType::hex8, ElementType::hex20,
                                   ElementType::wedge6, ElementType::wedge15, ElementType::pyramid5});
  mesh.element_region[3] = -1;
  mesh.element_region[4] = -1;
  return mesh;
}

VolumeMesh tetrahedron() {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, -1e-7};
  mesh.blocks = {{ElementType::tet4, {0, 2, 1, 3}}};
  mesh.element_region = {0};
  mesh.regions = {{"gel", rubber}};
  return mesh;
}

// Readers number regions as they meet them: names tell.
std::vector<std::string> region_names(const VolumeMesh& mesh) {
  std::vector<std::string> names;
  for (const auto region : mesh.element_region)
    names.push_back(region < 0 ? "" : mesh.regions[static_cast<std::size_t>(region)].name);
  return names;
}

void expect_same(const VolumeMesh& read, const VolumeMesh& written) {
  EXPECT_TRUE(same_bits(read.vertices, written.vertices));
  ASSERT_EQ(read.blocks.size(), written.blocks.size());
  for (std::size_t b = 0; b < written.blocks.size(); ++b) {
    EXPECT_EQ(read.blocks[b].type, written.blocks[b].type);
    EXPECT_EQ(read.blocks[b].vertices, written.blocks[b].vertices) << element_type_name(written.blocks[b].type);
  }
  EXPECT_EQ(region_names(read), region_names(written));
  EXPECT_TRUE(read.warnings.empty());
}

class WriteMesh : public testing::Test {
 protected:
  std::set<std::string> files() { return test::files_below(folder_.path()); }
  test::TemporaryFolder folder_;
};

// ---- Gmsh ------------------------------------------------------------------------------------------------------

TEST_F(WriteMesh, MshKeepsEveryElementTypeRegionsAndSets) {
  const VolumeMesh mesh = mesh_of_all_types();
  write_gmsh(mesh, folder_ / "all.msh");
  const VolumeMesh read = read_mesh(folder_ / "all.msh");
  expect_same(read, mesh);
  EXPECT_EQ(read.vertex_sets, mesh.vertex_sets);
  for (const auto& block : mesh.blocks) {  // and each alone
    const VolumeMesh one = mesh_of_types({block.type});
    write_gmsh(one, folder_ / "one.msh");
    expect_same(read_mesh(folder_ / "one.msh"), one);
  }
}

// Gmsh's manual: entities with their boxes and groups, blocks of nodes with all numbers first, blocks of elements.
TEST_F(WriteMesh, MshIsAsTheManualHasIt) {
  VolumeMesh mesh = tetrahedron();
  mesh.vertex_sets = {{"empty", {}}, {"tip", {1, 3}}};
  write_gmsh(mesh, folder_ / "m.msh");
  EXPECT_EQ(file_text(folder_ / "m.msh"),
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
            "$PhysicalNames\n3\n0 1 \"empty\"\n0 2 \"tip\"\n3 1 \"gel\"\n$EndPhysicalNames\n"
            "$Entities\n1 0 0 1\n2 1 0 0 1 2\n1 0 0 -1e-07 1 0.5 0 1 1 0\n$EndEntities\n"
            "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 0.5 0\n0 0 -1e-07\n$EndNodes\n"
            "$Elements\n2 3 1 3\n3 1 4 1\n1 1 3 2 4\n0 2 15 2\n2 2\n3 4\n$EndElements\n");
}

/// Values one after the other as they lie in memory.
template <class... Values>
std::string bytes(Values... values) {
  std::string result;
  const auto append = [&result](auto value) { result.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  (append(values), ...);
  return result;
}

TEST_F(WriteMesh, BinaryMshHoldsTheSameNumbers) {
  VolumeMesh mesh = tetrahedron();
  mesh.vertex_sets = {{"tip", {3}}};
  write_gmsh(mesh, folder_ / "m.msh", {.binary = true});
  using Int = std::int32_t;
  using Size = std::uint64_t;
  constexpr Size none = 0, one = 1, two = 2, four = 4;
  std::string expected = "$MeshFormat\n4.1 1 8\n" + bytes(Int{1}) + "\n$EndMeshFormat\n" +
                         "$PhysicalNames\n2\n0 1 \"tip\"\n3 1 \"gel\"\n$EndPhysicalNames\n$Entities\n" +
                         bytes(one, none, none, one) + bytes(Int{1}, 0.0, 0.0, -1e-7, one, Int{1}) +
                         bytes(Int{1}, 0.0, 0.0, -1e-7, 1.0, 0.5, 0.0, one, Int{1}, none) + "\n$EndEntities\n$Nodes\n" +
                         bytes(one, four, one, four) + bytes(Int{3}, Int{1}, Int{0}, four) +
                         bytes(Size{1}, Size{2}, Size{3}, Size{4});
  for (const double x : mesh.vertices) expected += bytes(x);
  expected += "\n$EndNodes\n$Elements\n" + bytes(two, two, one, two) + bytes(Int{3}, Int{1}, Int{4}, one) +
              bytes(Size{1}, Size{1}, Size{3}, Size{2}, Size{4}) + bytes(Int{0}, Int{1}, Int{15}, one) +
              bytes(Size{2}, Size{4}) + "\n$EndElements\n";
  EXPECT_EQ(file_text(folder_ / "m.msh"), expected);
}

TEST_F(WriteMesh, MshKeepsNamesApart) {
  VolumeMesh mesh = mesh_of_types({ElementType::tet4, ElementType::hex8});
  mesh.regions = {{"stiff part", {}},
                  {"stiff part", {}},
                  {"", {}},
                  {"Gl\xC3\xBC"
                   "ck 'x' #1, *",
                   {}}};
  mesh.element_region = {0, 1, 2, 3};
  mesh.vertex_sets = {{"say \"so\"", {1}}, {"say 'so'", {2}}, {" two\nlines ", {3}}};
  const std::vector<std::string> losses = write_mesh(mesh, folder_ / "m.msh");
  const VolumeMesh read = read_mesh(folder_ / "m.msh");
  EXPECT_EQ(region_names(read), (std::vector<std::string>{"stiff part", "stiff part_2", "region",
                                                          "Gl\xC3\xBC"
                                                          "ck 'x' #1, *"}));
  EXPECT_EQ(read.vertex_sets, (std::map<std::string, std::vector<std::int32_t>>{
                                  {" two lines ", {3}}, {"say 'so'", {1}}, {"say 'so'_2", {2}}}));
  EXPECT_EQ(losses, (std::vector<std::string>{"region 'stiff part' is called 'stiff part_2' in the .msh file",
                                              "region '' is called 'region' in the .msh file",
                                              "vertex set ' two?lines ' is called ' two lines ' in the .msh file",
                                              "vertex set 'say \"so\"' is called 'say 'so'' in the .msh file",
                                              "vertex set 'say 'so'' is called 'say 'so'_2' in the .msh file"}));
}

TEST_F(WriteMesh, MshTellsWhatItCantHold) {
  VolumeMesh mesh = mesh_of_all_types();
  mesh.regions.push_back({"spare", rubber});
  mesh.vertex_sets["nothing"] = {};
  const std::vector<std::string> losses = write_mesh(mesh, folder_ / "m.msh");
  ASSERT_EQ(losses.size(), 3U);
  EXPECT_NE(losses[0].find("materials"), std::string::npos);
  EXPECT_NE(losses[1].find("'spare' has no elements"), std::string::npos);
  EXPECT_NE(losses[2].find("'nothing' is empty"), std::string::npos);
  EXPECT_EQ(read_mesh(folder_ / "m.msh").regions.size(), 2U);
}

// ---- every bit ---------------------------------------------------------------------------------------------------

// Offsets and scales that swallow digits, the ends of the range, and numbers without a short decimal form.
TEST_F(WriteMesh, PositionsKeepEveryBit) {
  constexpr std::array values = {0.1,
                                 1.0 / 3,
                                 5e-324,
                                 2.2250738585072011e-308,
                                 1.7976931348623157e308,
                                 -0.0,
                                 1e22,
                                 1e8 + 1e-8,
                                 123456789012345678.0,
                                 0x1.fffffffffffffp-1,
                                 -6378137.123456789,
                                 1e-300};
  static_assert(values.size() == 12);
  VolumeMesh mesh = tetrahedron();
  std::copy(values.begin(), values.end(), mesh.vertices.begin());
  for (const char* name : {"bits.msh", "bits.veg"}) {
    write_mesh(mesh, folder_ / name);
    expect_same(read_mesh(folder_ / name), mesh);
  }
  write_vtu(mesh, folder_ / "bits.vtu");
  EXPECT_TRUE(same_bits(VtuDocument(folder_ / "bits.vtu").values<double>("Points"), mesh.vertices));
  const auto noise = test::random_numbers(300, 8);
  for (std::size_t i = 0; i + 12 <= noise.size(); i += 12) {
    for (std::size_t j = 0; j < 12; ++j) mesh.vertices[j] = std::ldexp(noise[i + j], static_cast<int>(i) - 150);
    write_mesh(mesh, folder_ / "bits.msh");
    expect_same(read_mesh(folder_ / "bits.msh"), mesh);
  }
}

// ---- .veg ------------------------------------------------------------------------------------------------------

TEST_F(WriteMesh, VegHoldsBothOfItsTypesWhereThatIsAskedFor) {
  VolumeMesh mesh = mesh_of_types({ElementType::tet4, ElementType::hex8});
  const std::vector<std::string> losses = write_mesh(mesh, folder_ / "m.veg");
  const VolumeMesh read = read_mesh(folder_ / "m.veg");
  expect_same(read, mesh);
  EXPECT_EQ(read.regions[1].material->youngs_modulus, wood.youngs_modulus);
  EXPECT_EQ(read.regions[0].material->density, rubber.density);
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_NE(losses[0].find("VegaFEM itself"), std::string::npos);
  EXPECT_NE(losses[1].find("vertex sets: 2"), std::string::npos);
  EXPECT_THROW(write_veg(mesh, folder_ / "no.veg"), InputError);

  mesh.element_region[0] = -1;
  mesh.regions[0].name = "a, b";
  mesh.vertex_sets.clear();
  const std::vector<std::string> more = write_mesh(mesh, folder_ / "m.veg");
  ASSERT_EQ(more.size(), 3U);
  EXPECT_NE(more[1].find("1 element is in no region"), std::string::npos);
  EXPECT_EQ(more[2], "region 'a, b' is called 'a__b' in the .veg file");
}

TEST_F(WriteMesh, VegHoldsMooneyRivlinAndTellsOfOtherLaws) {
  VolumeMesh mesh = mesh_of_types({ElementType::tet4});
  mesh.vertex_sets.clear();
  mesh.regions[0].material->law = MaterialLaw::corotational;
  for (const double share : {0.0, 0.3, 1.0}) {
    Material& written = *mesh.regions[1].material;
    written.law = MaterialLaw::mooney_rivlin;
    written.mooney_share = share;
    const std::vector<std::string> losses = write_mesh(mesh, folder_ / "m.veg");
    ASSERT_EQ(losses.size(), 1U);
    EXPECT_EQ(losses[0],
              "a .veg file can't hold the law corotational of region 'left': give it again where the file is used");
    const VolumeMesh read = read_mesh(folder_ / "m.veg");
    const Material& back = *read.regions[1].material;
    EXPECT_EQ(back.law, MaterialLaw::mooney_rivlin);
    EXPECT_NEAR(back.youngs_modulus, written.youngs_modulus, 1e-13 * written.youngs_modulus);
    EXPECT_NEAR(back.poissons_ratio, written.poissons_ratio, 1e-14);
    EXPECT_NEAR(back.mooney_share, share, 1e-15);
    EXPECT_EQ(back.density, written.density);
    EXPECT_EQ(read.regions[0].material->law, MaterialLaw::stvk);
  }
}

TEST_F(WriteMesh, VegRefusesOtherTypesAndMissingMaterials) {
  EXPECT_THROW(write_mesh(mesh_of_types({ElementType::tet10}), folder_ / "no.veg"), InputError);
  EXPECT_THROW(write_mesh(mesh_of_types({ElementType::tet4, ElementType::wedge6}), folder_ / "no.veg"), InputError);
  EXPECT_THROW(write_mesh(tetrahedron(), folder_ / "no.veg", {.binary = true}), InputError);
  VolumeMesh mesh = tetrahedron();
  mesh.regions[0].material.reset();
  EXPECT_THROW(write_mesh(mesh, folder_ / "no.veg"), InputError);
  mesh.regions.clear();
  mesh.element_region = {-1};
  write_mesh(mesh, folder_ / "bare.veg");  // without regions there is nothing that needs a material
  expect_same(read_mesh(folder_ / "bare.veg"), mesh);
  EXPECT_EQ(files(), std::set<std::string>{"bare.veg"});
}

// ---- VTK -------------------------------------------------------------------------------------------------------

TEST_F(WriteMesh, VtuHoldsTheMeshBitByBit) {
  VolumeMesh mesh = mesh_of_all_types();
  const std::vector<double> field = test::random_numbers(mesh.vertices.size(), 4);
  const std::array fields = {NamedField{"displacement", field}};
  write_vtu(mesh, folder_ / "m.vtu", fields);
  const VtuDocument vtu(folder_ / "m.vtu");
  EXPECT_TRUE(vtu.text.starts_with("<?xml version=\"1.0\""));
  EXPECT_EQ(vtu.attribute("VTKFile", "type"), "UnstructuredGrid");
  EXPECT_EQ(vtu.attribute("VTKFile", "header_type"), "UInt64");
  EXPECT_EQ(vtu.attribute("VTKFile", "byte_order"), "LittleEndian");
  EXPECT_EQ(vtu.attribute("Piece", "NumberOfPoints"), std::to_string(mesh.vertex_count()));
  EXPECT_EQ(vtu.attribute("Piece", "NumberOfCells"), "14");
  EXPECT_EQ(vtu.attribute("PointData", "Vectors"), "displacement");
  EXPECT_TRUE(same_bits(vtu.values<double>("Points"), mesh.vertices));
  EXPECT_EQ(vtu.components("Points"), "3");
  EXPECT_TRUE(same_bits(vtu.values<double>("displacement"), field));
  EXPECT_EQ(vtu.type("displacement"), "Float64");

  // VTK's cell types (vtkCellType.h): tetra, quadratic tetra, hexahedron, quadratic hexahedron, wedge, quadratic wedge,
  // pyramid. Offsets tell where cells end.
  EXPECT_EQ(vtu.values<std::uint8_t>("types"),
            (std::vector<std::uint8_t>{10, 10, 24, 24, 12, 12, 25, 25, 13, 13, 26, 26, 14, 14}));
  EXPECT_EQ(vtu.values<std::int64_t>("offsets"),
            (std::vector<std::int64_t>{4, 8, 18, 28, 36, 44, 64, 84, 90, 96, 111, 126, 131, 136}));
  EXPECT_EQ(vtu.type("connectivity"), "Int64");
  std::vector<std::int64_t> connectivity;
  for (const ElementBlock& block : mesh.blocks)
    connectivity.insert(connectivity.end(), block.vertices.begin(), block.vertices.end());
  EXPECT_EQ(vtu.values<std::int64_t>("connectivity"), connectivity);

  EXPECT_EQ(vtu.values<std::int32_t>("region"), mesh.element_region);
  EXPECT_EQ(vtu.type("region"), "Int32");
  for (const auto& [name, set] : mesh.vertex_sets) {
    std::vector<std::uint8_t> expected(static_cast<std::size_t>(mesh.vertex_count()));
    for (const auto v : set) expected[static_cast<std::size_t>(v)] = 1;
    EXPECT_EQ(vtu.values<std::uint8_t>(name), expected);
    EXPECT_EQ(vtu.type(name), "UInt8");
  }
  EXPECT_FALSE(vtu.has("density"));  // elements without region
}

TEST_F(WriteMesh, VtuHasMaterialsWhereEveryElementHasOne) {
  VolumeMesh mesh = mesh_of_types({ElementType::tet4});
  EXPECT_TRUE(write_mesh(mesh, folder_ / "m.vtu").empty());
  const VtuDocument vtu(folder_ / "m.vtu");
  EXPECT_EQ(vtu.values<double>("youngs_modulus"), (std::vector<double>{1e10, 1e6 / 3}));
  EXPECT_EQ(vtu.values<double>("poissons_ratio"), (std::vector<double>{0.25, 0.1 + 0.2}));
  EXPECT_EQ(vtu.values<double>("density"), (std::vector<double>{700, 1e3 / 7}));
  mesh.regions[0].material->law = MaterialLaw::mooney_rivlin;
  const std::vector<std::string> laws = write_mesh(mesh, folder_ / "m.vtu");
  ASSERT_EQ(laws.size(), 1U);
  EXPECT_EQ(laws[0],
            "a .vtu file can't hold the law mooney-rivlin of region 'left': give it again where the file is used");
  mesh.regions[0].material->law = MaterialLaw::stvk;
  mesh.regions.push_back({"spare", {}});  // that no element needs
  EXPECT_TRUE(write_mesh(mesh, folder_ / "m.vtu").empty());
  mesh.regions[0].material.reset();
  const std::vector<std::string> losses = write_mesh(mesh, folder_ / "m.vtu");
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NE(losses[0].find("not every element has a material"), std::string::npos);
  EXPECT_FALSE(VtuDocument(folder_ / "m.vtu").has("density"));
}

TEST_F(WriteMesh, VtuNamesAreXml) {
  VolumeMesh mesh = tetrahedron();
  mesh.regions = {
      {"a <b> & \"c\" Gl\xC3\xBC"
       "ck",
       {}}};
  mesh.vertex_sets = {{"bell\a", {0}}, {"bell?", {1}}, {"half \xC3", {2}}, {"u", {3}}};
  const std::vector<double> zeros(12);
  const std::array fields = {NamedField{"u", zeros}};
  write_vtu(mesh, folder_ / "m.vtu", fields);
  const VtuDocument vtu(folder_ / "m.vtu");
  EXPECT_NE(vtu.text.find("<DataArray type=\"Int32\" Name=\"region 0: a &lt;b&gt; &amp; &quot;c&quot; Gl\xC3\xBC"
                          "ck\" NumberOfTuples=\"1\" format=\"ascii\">0</DataArray>"),
            std::string::npos)
      << vtu.text;
  EXPECT_EQ(vtu.values<std::uint8_t>("bell?"), (std::vector<std::uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(vtu.values<std::uint8_t>("bell?_2"), (std::vector<std::uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(vtu.values<std::uint8_t>("half ?"), (std::vector<std::uint8_t>{0, 0, 1, 0}));
  EXPECT_EQ(vtu.values<std::uint8_t>("u_2"), (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(write_mesh(mesh, folder_ / "m.vtu").size(), 3U);
}

TEST_F(WriteMesh, FieldsMustFit) {
  const VolumeMesh mesh = tetrahedron();
  std::vector<double> values(11);
  EXPECT_THROW(write_vtu(mesh, folder_ / "m.vtu", std::array{NamedField{"u", values}}), InputError);
  values.push_back(std::numeric_limits<double>::infinity());
  EXPECT_THROW(write_vtu(mesh, folder_ / "m.vtu", std::array{NamedField{"u", values}}), InputError);
  EXPECT_TRUE(files().empty());
}

// ---- errors ------------------------------------------------------------------------------------------------------

TEST_F(WriteMesh, BadMeshesAreRefusedAndFilesStay) {
  std::vector<VolumeMesh> bad(9, tetrahedron());
  bad[0] = {};
  bad[1].blocks.clear();
  bad[1].element_region.clear();
  bad[2].vertices[5] = NAN;
  bad[3].blocks[0].vertices[2] = 4;
  bad[4].blocks[0].vertices.push_back(0);
  bad[5].element_region = {1};
  bad[6].element_region = {};
  bad[7].vertex_sets["held"] = {-1};
  bad[8].regions[0].material->density = NAN;
  for (const std::string name : {"m.msh", "m.vtu", "m.veg"}) {
    std::ofstream(folder_ / name) << "what was there before";
    for (std::size_t i = 0; i < bad.size(); ++i)
      EXPECT_THROW(write_mesh(bad[i], folder_ / name), InputError) << name << " " << i;
    EXPECT_EQ(file_text(folder_ / name), "what was there before");
  }
  EXPECT_EQ(files(), (std::set<std::string>{"m.msh", "m.vtu", "m.veg"}));
}

TEST_F(WriteMesh, TheExtensionNamesTheFormat) {
  write_mesh(tetrahedron(), folder_ / "M.MSH");
  EXPECT_TRUE(file_text(folder_ / "M.MSH").starts_with("$MeshFormat"));
  try {
    write_mesh(tetrahedron(), folder_ / "m.obj");
    FAIL() << "an .obj file was written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(".msh, .vtu, .veg"), std::string::npos) << error.what();
  }
}

TEST_F(WriteMesh, WritesThatFailLeaveNothing) {
  for (const std::string name : {"m.msh", "m.vtu", "m.veg"})
    EXPECT_THROW(write_mesh(tetrahedron(), folder_ / "missing" / name), FileError);
  if (std::filesystem::exists("/dev/full"))
    for (const std::string name : {"m.msh", "m.vtu", "m.veg"}) {
      std::filesystem::create_symlink("/dev/full", folder_ / name);
      EXPECT_THROW(write_mesh(tetrahedron(), folder_ / name), FileError) << name;
      std::filesystem::remove(folder_ / name);
    }
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace quartic
