// Checks and repairs of meshes, and their boundary surface.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>

#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/grids.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::give_region;
using test::grid;
using test::has_warning;

/// Volume enclosed by triangles by the divergence theorem: positive only if they are wound outwards.
double enclosed_volume(const VolumeMesh& mesh, const std::vector<std::int32_t>& triangles) {
  double sum = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const double* a = &mesh.vertices[3 * static_cast<std::size_t>(triangles[t])];
    const double* b = &mesh.vertices[3 * static_cast<std::size_t>(triangles[t + 1])];
    const double* c = &mesh.vertices[3 * static_cast<std::size_t>(triangles[t + 2])];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

/// Closed: every directed edge has exactly one partner that runs the other way.
bool is_closed(const std::vector<std::int32_t>& triangles) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  for (std::size_t t = 0; t < triangles.size(); t += 3)
    for (std::size_t i = 0; i < 3; ++i) ++edges[{triangles[t + i], triangles[t + (i + 1) % 3]}];
  return std::all_of(edges.begin(), edges.end(), [&](const auto& entry) {
    const auto partner = edges.find({entry.first.second, entry.first.first});
    return entry.second == 1 && partner != edges.end() && partner->second == 1;
  });
}

class Grids : public testing::TestWithParam<bool> {};

TEST_P(Grids, BoundaryIsClosedAndOutward) {
  const VolumeMesh mesh = grid(3, 2, 4, GetParam());
  const auto triangles = boundary_triangles(mesh);
  EXPECT_EQ(triangles.size() / 3, 2u * 2 * (3 * 2 + 2 * 4 + 3 * 4));
  EXPECT_TRUE(is_closed(triangles));
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh, triangles), 24);
}

TEST_P(Grids, BoundaryOfInvertedElementsIsOutwardToo) {
  VolumeMesh mesh = grid(3, 2, 4, GetParam());
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 3) mesh.vertices[i] *= -1;
  const auto triangles = boundary_triangles(mesh);
  EXPECT_TRUE(is_closed(triangles));
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh, triangles), 24);
}

TEST_P(Grids, ReportOfASoundMesh) {
  const VolumeMesh mesh = grid(3, 2, 4, GetParam());
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.inverted, 0);
  EXPECT_EQ(report.degenerate, 0);
  EXPECT_EQ(report.components, 1);
  EXPECT_EQ(report.unreferenced_vertices, 0);
  EXPECT_EQ(report.elements_without_region, 0);
  EXPECT_NEAR(report.volume, 24, 24e-14);
  ASSERT_TRUE(report.mass);
  EXPECT_NEAR(*report.mass, 24000, 24000e-14);
  EXPECT_EQ(report.bounding_box, (std::array<double, 6>{0, 0, 0, 3, 2, 4}));
  // A cube is regular; Kuhn's tetrahedron has sqrt(2) 6V / L^3 = sqrt(2) / sqrt(3)^3.
  EXPECT_NEAR(report.worst_quality, GetParam() ? std::sqrt(2.0 / 27) : 1, 1e-14);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
}

TEST_P(Grids, ScaleAndPlaceDoNotMatter) {
  for (const double scale : {1e-9, 1e-4, 1e6})
    for (const double offset : {0.0, 1e4}) {
      VolumeMesh mesh = grid(3, 2, 2, GetParam());
      for (double& x : mesh.vertices) x = scale * (x + offset);
      const MeshReport report = check_mesh(mesh);
      EXPECT_EQ(report.degenerate + report.inverted, 0) << scale << " " << offset;
      EXPECT_TRUE(report.warnings.empty());
      EXPECT_NEAR(report.volume, 12 * std::pow(scale, 3), 1e-11 * 12 * std::pow(scale, 3));
    }
}

TEST_P(Grids, ThinElementsAreNotDegenerate) {
  VolumeMesh mesh = grid(2, 2, 2, GetParam());
  for (std::size_t i = 2; i < mesh.vertices.size(); i += 3) mesh.vertices[i] *= 1e-8;
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  for (std::size_t i = 2; i < mesh.vertices.size(); i += 3) mesh.vertices[i] = 0.3;
  const MeshReport flat = check_mesh(mesh);
  EXPECT_EQ(flat.degenerate, mesh.element_count());
  EXPECT_EQ(flat.first_degenerate, 0);
  EXPECT_EQ(flat.worst_quality, 0);
}

TEST_P(Grids, RepairTurnsElementsRound) {
  const VolumeMesh sound = grid(2, 2, 2, GetParam());
  VolumeMesh mesh = sound;
  const auto width = static_cast<std::size_t>(element_vertex_count(mesh.blocks[0].type));
  for (std::size_t e = 1; e < static_cast<std::size_t>(mesh.element_count()); e += 3) {
    auto* v = mesh.blocks[0].vertices.data() + e * width;
    if (width == 4)
      std::swap(v[2], v[3]);
    else
      std::swap_ranges(v, v + 4, v + 4);
  }
  const auto wrong = (mesh.element_count() + 1) / 3;
  const MeshReport before = check_mesh(mesh);
  EXPECT_EQ(before.inverted, wrong);
  EXPECT_EQ(before.first_inverted, 1);
  EXPECT_NEAR(before.volume, 8, 1e-13);
  EXPECT_TRUE(has_warning(before, "wrong winding"));
  EXPECT_EQ(repair_orientation(mesh), wrong);
  const MeshReport after = check_mesh(mesh);
  EXPECT_EQ(after.inverted, 0);
  EXPECT_EQ(after.degenerate, 0);
  EXPECT_NEAR(after.volume, 8, 1e-13);
  EXPECT_NEAR(after.worst_quality, check_mesh(sound).worst_quality, 1e-14);
  EXPECT_EQ(repair_orientation(mesh), 0);
}

INSTANTIATE_TEST_SUITE_P(MeshTools, Grids, testing::Bool(),
                         [](const auto& param_info) { return param_info.param ? "tet4" : "hex8"; });

TEST(MeshTools, MixedMeshWithConformingParts) {
  // A cube beside a tetrahedron that shares an edge with it, no face.
  VolumeMesh mesh = grid(1, 1, 1, false);
  mesh.vertices.insert(mesh.vertices.end(), {2, 0, 0.5, 2, 1, 0.5});
  mesh.blocks.insert(mesh.blocks.begin(), ElementBlock{ElementType::tet4, {1, 8, 9, 5}});
  give_region(mesh);
  EXPECT_EQ(boundary_triangles(mesh).size() / 3, 12u + 4u);
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.components, 1);
  EXPECT_NEAR(report.volume, 1 + 1.0 / 6, 1e-14);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
}

TEST(MeshTools, HexahedraAgainstTetrahedraIsNonConforming) {
  // Two tetrahedra lie on a cube's square face. They may cut it along either diagonal.
  for (const auto& tets : {std::vector<std::int32_t>{4, 5, 6, 8, 4, 6, 7, 8}, {4, 5, 7, 8, 5, 6, 7, 8}}) {
    VolumeMesh mesh = grid(1, 1, 1, false);  // vertices 4, 5, 7, 6 go round the top
    mesh.blocks[0].vertices = {0, 1, 2, 3, 4, 5, 6, 7};
    std::swap_ranges(&mesh.vertices[6], &mesh.vertices[9], &mesh.vertices[9]);
    std::swap_ranges(&mesh.vertices[18], &mesh.vertices[21], &mesh.vertices[21]);
    mesh.vertices.insert(mesh.vertices.end(), {0.5, 0.5, 2});
    mesh.blocks.insert(mesh.blocks.begin(), ElementBlock{ElementType::tet4, tets});
    give_region(mesh);
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.inverted + report.degenerate, 0);
    EXPECT_TRUE(has_warning(report, "4 boundary triangles lie on an internal interface")) << report.warnings.size();
  }
}

TEST(MeshTools, SingleTetrahedronHasNoInterface) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  give_region(mesh);
  EXPECT_TRUE(check_mesh(mesh).warnings.empty());
  EXPECT_EQ(boundary_triangles(mesh).size(), 12u);
}

TEST(MeshTools, FoldedHexahedronIsDegenerate) {
  VolumeMesh mesh = grid(1, 1, 1, false);
  for (std::size_t c = 0; c < 3; ++c) mesh.vertices[3 * 7 + c] = -0.5;  // one corner pulled through the others
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.degenerate, 1);
  EXPECT_EQ(report.inverted, 0);
  EXPECT_EQ(folded_elements(mesh).count, 1);
  EXPECT_TRUE(has_warning(report, "1 of 1 elements is folded (first: element 0, counted from 0"));
}

TEST(MeshTools, RegionsMaterialsAndParts) {
  VolumeMesh mesh = grid(2, 1, 1, false);
  mesh.vertices.insert(mesh.vertices.end(), {9, 9, 9});
  mesh.warnings = {"from the reader"};
  mesh.element_region = {0, -1};
  MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.warnings.front(), "from the reader");
  EXPECT_EQ(report.elements_without_region, 1);
  EXPECT_EQ(report.unreferenced_vertices, 1);
  EXPECT_FALSE(report.mass);
  EXPECT_TRUE(has_warning(report, "1 element belongs to no region"));
  EXPECT_TRUE(has_warning(report, "1 vertex belongs to no element"));

  mesh.element_region = {0, 1};
  mesh.regions.push_back({"bare", std::nullopt});
  report = check_mesh(mesh);
  EXPECT_TRUE(has_warning(report, "region 'bare' has no material"));
  EXPECT_FALSE(report.mass);

  mesh.regions[1].material = Material{.youngs_modulus = 1, .poissons_ratio = 0.5, .density = 2};
  mesh.regions.push_back({"empty", mesh.regions[1].material});
  report = check_mesh(mesh);
  ASSERT_TRUE(report.mass);
  EXPECT_NEAR(*report.mass, 1002, 1e-11);
  EXPECT_TRUE(has_warning(report, "region 'bare': Poisson's ratio is 0.5"));
  EXPECT_TRUE(has_warning(report, "region 'empty' has no elements"));

  mesh.blocks[0].vertices[3] = 99;
  EXPECT_TRUE(has_warning(check_mesh(mesh), "1 vertex reference is outside"));
}

TEST(MeshTools, ComponentsShareNoVertex) {
  VolumeMesh mesh = grid(5, 1, 1, true);
  auto& vertices = mesh.blocks[0].vertices;
  vertices.erase(vertices.begin() + 24, vertices.begin() + 48);  // the second cell
  vertices.erase(vertices.begin() + 48, vertices.begin() + 72);  // and the fourth
  give_region(mesh);
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.components, 3);
  EXPECT_TRUE(has_warning(report, "3 parts that share no vertex"));
}

TEST(MeshTools, UnsupportedTypesAreReported) {
  VolumeMesh mesh;
  mesh.vertices.resize(15);
  mesh.blocks = {{ElementType::pyramid5, {0, 1, 2, 3, 4}}};
  give_region(mesh);
  EXPECT_TRUE(has_warning(check_mesh(mesh), "1 element is of type pyramid5"));
  EXPECT_THROW((void)boundary_triangles(mesh), InputError);
}

TEST(MeshTools, DropUnreferencedVertices) {
  VolumeMesh mesh = grid(1, 1, 1, false);
  VolumeMesh padded = mesh;
  padded.vertices.insert(padded.vertices.begin(), {7, 7, 7});
  padded.vertices.insert(padded.vertices.begin() + 12, {8, 8, 8});
  for (auto& v : padded.blocks[0].vertices) v += v < 3 ? 1 : 2;
  padded.vertex_sets["s"] = {0, 1, 4, 5};
  EXPECT_EQ(drop_unreferenced_vertices(padded), (std::vector<std::int32_t>{1, 2, 3, 5, 6, 7, 8, 9}));
  EXPECT_EQ(padded.vertices, mesh.vertices);
  EXPECT_EQ(padded.blocks[0].vertices, mesh.blocks[0].vertices);
  EXPECT_EQ(padded.vertex_sets["s"], (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(drop_unreferenced_vertices(padded).size(), 8u);
}

TEST(MeshTools, RepeatedElementsAreReported) {
  for (const bool tetrahedra : {true, false}) {
    VolumeMesh mesh = grid(2, 2, 2, tetrahedra);
    EXPECT_EQ(check_mesh(mesh).repeated_elements, 0);
    auto& vertices = mesh.blocks[0].vertices;
    const auto width = static_cast<std::size_t>(element_vertex_count(mesh.blocks[0].type));
    const std::vector<std::int32_t> copy(vertices.begin() + static_cast<std::ptrdiff_t>(width),
                                         vertices.begin() + static_cast<std::ptrdiff_t>(2 * width));
    for (int n = 0; n < 2; ++n) vertices.insert(vertices.end(), copy.rbegin(), copy.rend());  // in another order
    mesh.element_region.insert(mesh.element_region.end(), 2, 0);
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.repeated_elements, 2);
    EXPECT_TRUE(has_warning(report, "2 elements have the same vertices as another one"));
  }
}

TEST(MeshTools, VerticesInBox) {
  const VolumeMesh mesh = grid(2, 1, 1, false);
  EXPECT_EQ(vertices_in_box(mesh, {0, 0, 0, 0, 1, 1}), (std::vector<std::int32_t>{0, 3, 6, 9}));
  EXPECT_EQ(vertices_in_box(mesh, {0, 1, 1, 0, 0, 0}), (std::vector<std::int32_t>{0, 3, 6, 9}));
  EXPECT_TRUE(vertices_in_box(mesh, {5, 5, 5, 6, 6, 6}).empty());
  EXPECT_EQ(vertices_in_box(mesh, {-1, -1, -1, 9, 9, 9}).size(), 12u);
}

// ---- reference data --------------------------------------------------------------------------------------------

TEST(MeshToolsData, PublicMeshesMeasureAsTheIndexSays) {
  QUARTIC_NEED_DATA(index, "public/INDEX.tsv");
  std::ifstream table(index);
  const auto number_after = [](const std::string& line, const std::string& key) {
    return std::stod(line.substr(line.find(key) + key.size()));
  };
  int checked = 0;
  for (std::string line; std::getline(table, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    const bool ours = (name.ends_with(".veg") || name.ends_with(".ele")) && line.find("volume ") != std::string::npos;
    if (!ours) continue;
    SCOPED_TRACE(name);
    const MeshReport report = check_mesh(read_mesh(index.parent_path() / name));
    // The index prints six digits of volume, three of its quality 6V / L^3.
    EXPECT_NEAR(report.volume / number_after(line, "volume "), 1, 2e-5);
    if (line.find("min q ") != std::string::npos) {
      EXPECT_NEAR(report.worst_quality / std::sqrt(2.0) / number_after(line, "min q "), 1, 5e-3);
    }
    EXPECT_EQ(report.inverted + report.degenerate, 0);
    ++checked;
  }
  EXPECT_GE(checked, 8);
}

TEST(MeshToolsData, TrickyMeshesBehaveAsTheLogSays) {
  QUARTIC_NEED_DATA(folder, "tricky");
  const auto check = [&](const char* name) { return check_mesh(read_mesh(folder / name)); };

  MeshReport report = check("b27_free_beam.veg");
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_NEAR(*report.mass, 62.5, 1e-12);

  report = check("b31_all_inverted.veg");
  EXPECT_EQ(report.inverted, 5);
  EXPECT_EQ(report.first_inverted, 0);
  EXPECT_NEAR(report.volume, 1, 1e-14);
  EXPECT_TRUE(has_warning(report, "5 of 5 elements have the wrong winding"));

  VolumeMesh mixed = read_mesh(folder / "b31b_mixed_orientation.veg");
  EXPECT_EQ(check_mesh(mixed).inverted, 3);
  EXPECT_EQ(repair_orientation(mixed), 3);
  EXPECT_NEAR(check_mesh(mixed).volume, 1, 1e-14);
  EXPECT_EQ(check_mesh(mixed).inverted, 0);

  const VolumeMesh nonconforming = read_mesh(folder / "b33_nonconforming.veg");
  EXPECT_EQ(boundary_triangles(nonconforming).size() / 3, 24u);
  report = check_mesh(nonconforming);
  EXPECT_NEAR(report.volume, 2, 1e-14);
  EXPECT_TRUE(has_warning(report, "4 boundary triangles lie on an internal interface"));

  report = check("b35_scale_1e-4.veg");
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_NEAR(report.volume, 62.5e-15, 1e-27);
  EXPECT_TRUE(report.hints.empty());
  report = check("b35b_mm_offset_1e6.veg");
  EXPECT_TRUE(report.warnings.empty());
  ASSERT_EQ(report.hints.size(), 1U);  // it is in millimetres, tonnes and seconds
  EXPECT_NEAR(*report.mass, 0.0625, 1e-14);

  report = check("b37_locale.veg");
  EXPECT_EQ(report.bounding_box, (std::array<double, 6>{0, 0, 0, 0.5, 1.25, 0.75}));
  EXPECT_NEAR(report.volume, 0.46875, 1e-15);
  EXPECT_NEAR(*report.mass, 468.984375, 1e-12);

  try {  // B31 in strict mode
    require_no_repairs(read_mesh(folder / "b31_all_inverted.veg"));
    FAIL() << "it wasn't refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("5 of 5 tets have the wrong winding (first: element 0"), std::string::npos)
        << error.what();
  }

  report = check("b43_region_overlap_gap.veg");
  EXPECT_TRUE(has_warning(report, "left, then right"));  // which one counts
  EXPECT_EQ(report.elements_without_region, 1);
  EXPECT_TRUE(has_warning(report, "1 element is in more than one region"));
  EXPECT_TRUE(has_warning(report, "1 element belongs to no region"));
}

}  // namespace
}  // namespace quartic
