// Procedural meshes: counts and volumes by closed form, and meshes that fit together.
#include "quartic/procedural.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "quartic/error.hpp"
#include "support/soundness.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::expect_sound;

// Area of the boundary, quadrilaterals as two triangles (exact where they are flat).
double surface_area(const VolumeMesh& mesh) {
  const std::vector<std::int32_t> triangles = boundary_triangles(mesh);
  double area = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    std::array<std::array<double, 3>, 3> p{};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t axis = 0; axis < 3; ++axis)
        p[c][axis] = mesh.vertices[3 * static_cast<std::size_t>(triangles[t + c]) + axis];
    const std::array<double, 3> a = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const std::array<double, 3> b = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    area += std::sqrt(x * x + y * y + z * z) / 2;
  }
  return area;
}

class Box : public testing::TestWithParam<ElementType> {};

TEST_P(Box, HasTheCountsVolumeAndSurfaceOfABox) {
  const ProceduralMesh box = make_box(
      {.length = 2, .width = 0.3, .height = 0.5, .cells_x = 5, .cells_y = 2, .cells_z = 3, .type = GetParam()});
  expect_sound(box);
  EXPECT_EQ(box.mesh.vertex_count(), 6 * 3 * 4);
  EXPECT_EQ(box.mesh.element_count(), 5 * 2 * 3 * (GetParam() == ElementType::hex8 ? 1 : 6));
  EXPECT_EQ(box.fixed_vertices.size(), 3U * 4U);
  for (const std::int32_t v : box.fixed_vertices) EXPECT_EQ(box.mesh.vertices[3 * static_cast<std::size_t>(v)], 0);
  // Sums of some hundred terms, each rounded to 1e-16 of the whole.
  EXPECT_NEAR(check_mesh(box.mesh).volume, 2 * 0.3 * 0.5, 1e-14);
  EXPECT_NEAR(surface_area(box.mesh), 2 * (2 * 0.3 + 2 * 0.5 + 0.3 * 0.5), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Types, Box, testing::Values(ElementType::hex8, ElementType::tet4),
                         [](const auto& test) { return std::string(element_type_name(test.param)); });

TEST(BoxOptions, RefusesWhatIsNoBox) {
  EXPECT_THROW(static_cast<void>(make_box({.length = 0})), InputError);
  EXPECT_THROW(static_cast<void>(make_box({.height = -1})), InputError);
  EXPECT_THROW(static_cast<void>(make_box({.cells_y = 0})), InputError);
  EXPECT_THROW(static_cast<void>(make_box({.cells_x = 2000, .cells_y = 2000, .cells_z = 2000})), InputError);
  EXPECT_THROW(static_cast<void>(make_box({.type = ElementType::wedge6})), InputError);
  EXPECT_THROW(static_cast<void>(make_beam(0)), InputError);
  EXPECT_THROW(static_cast<void>(make_beam(40, ElementType::hex20)), InputError);
}

TEST(Beam, IsAMetreLongAndFixedAtOneEnd) {
  const ProceduralMesh beam = make_beam(20);
  expect_sound(beam);
  EXPECT_EQ(beam.mesh.element_count(), 20 * 2 * 2);
  EXPECT_EQ(beam.fixed_vertices.size(), 9U);
  EXPECT_NEAR(check_mesh(beam.mesh).volume, 0.008, 1e-15);
}

class Bridge : public testing::TestWithParam<int> {};

// The deck's volume by closed form: its section is a parallelogram at every x, so that camber doesn't matter. The same
// holds for arches, columns and posts cell by cell; together they bound the whole from below and above.
TEST_P(Bridge, IsOneSoundPieceHeldAtBothEnds) {
  const ProceduralMesh bridge = make_bridge(GetParam());
  expect_sound(bridge);
  const MeshReport report = check_mesh(bridge.mesh);
  EXPECT_GT(report.worst_quality, 0.1);
  constexpr double deck = 16 * 2.4 * 0.3, arches = 2 * 16 * 0.5 * 0.36, handrails = 2 * 16 * 0.1 * 0.1;
  EXPECT_GT(report.volume, deck + arches + handrails);
  EXPECT_LT(report.volume, 1.5 * (deck + arches + handrails));

  int left = 0, right = 0;
  for (const std::int32_t v : bridge.fixed_vertices) {
    const double x = bridge.mesh.vertices[3 * static_cast<std::size_t>(v)];
    left += x == 0;
    right += x == 16;
  }
  EXPECT_EQ(left, right);
  EXPECT_EQ(left + right, static_cast<int>(bridge.fixed_vertices.size()));
}

TEST_P(Bridge, IsItsOwnMirrorImage) {
  const VolumeMesh mesh = make_bridge(GetParam()).mesh;
  const auto rounded = [](double x) { return std::llround(x * 1e9); };  // positions differ by round-off only
  std::set<std::array<long long, 3>> places, along, across;
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    const double x = mesh.vertices[v], y = mesh.vertices[v + 1], z = mesh.vertices[v + 2];
    places.insert({rounded(x), rounded(y), rounded(z)});
    along.insert({rounded(16 - x), rounded(y), rounded(z)});
    across.insert({rounded(x), rounded(2.4 - y), rounded(z)});
  }
  EXPECT_EQ(places, along);
  EXPECT_EQ(places, across);
}

INSTANTIATE_TEST_SUITE_P(Resolutions, Bridge, testing::Values(32, 33, 47, 80, 100, 120),
                         [](const auto& test) { return std::to_string(test.param); });

TEST(BridgeOptions, RefusesResolutionsWithoutRoomForItsParts) {
  EXPECT_THROW(static_cast<void>(make_bridge(31)), InputError);
  EXPECT_THROW(static_cast<void>(make_bridge(1001)), InputError);
  EXPECT_THROW(static_cast<void>(make_bridge(32, ElementType::pyramid5)), InputError);
}

// All faces of beam and bridge are flat, so that tetrahedra fill exactly what the hexahedra did.
TEST(Tetrahedra, FillBeamAndBridge) {
  for (const auto make : {make_beam, make_bridge}) {
    const ProceduralMesh hexahedra = make(33, ElementType::hex8), tetrahedra = make(33, ElementType::tet4);
    expect_sound(tetrahedra);
    EXPECT_EQ(tetrahedra.mesh.vertices, hexahedra.mesh.vertices);
    EXPECT_EQ(tetrahedra.fixed_vertices, hexahedra.fixed_vertices);
    EXPECT_EQ(tetrahedra.mesh.element_count(), 6 * hexahedra.mesh.element_count());
    const double volume = check_mesh(hexahedra.mesh).volume;
    EXPECT_NEAR(check_mesh(tetrahedra.mesh).volume / volume, 1, 1e-13);  // sums of thousands of rounded terms
    EXPECT_NEAR(surface_area(tetrahedra.mesh) / surface_area(hexahedra.mesh), 1, 1e-13);
  }
}

TEST(Tetrahedra, FillVoxels) {
  const ProceduralMesh heart = make_heart(9, ElementType::tet4);
  expect_sound(heart);
  EXPECT_NEAR(check_mesh(heart.mesh).volume / check_mesh(make_heart(9).mesh).volume, 1, 1e-13);
}

TEST(Tetrahedra, WithMiddlesOfEdgesAreHeldLikeTheOthers) {
  const ProceduralMesh tet4 = make_spoon(20, ElementType::tet4), tet10 = make_spoon(20, ElementType::tet10);
  EXPECT_EQ(tet10.mesh.element_count(), tet4.mesh.element_count());
  EXPECT_TRUE(check_mesh(tet10.mesh).warnings.empty());
  double held = 0;
  for (const std::int32_t v : tet4.fixed_vertices)
    held = std::max(held, tet4.mesh.vertices[3 * static_cast<std::size_t>(v)]);
  std::vector<std::int32_t> expected;  // the handle's end is a slice: held is what lies in it
  for (std::int32_t v = 0; v < tet10.mesh.vertex_count(); ++v)
    if (tet10.mesh.vertices[3 * static_cast<std::size_t>(v)] <= held + 1e-9) expected.push_back(v);
  EXPECT_EQ(tet10.fixed_vertices, expected);
}

TEST(Tetrahedra, KeepRegionsAndVertexSets) {
  VolumeMesh mesh = make_box({.cells_x = 3, .cells_y = 1, .cells_z = 1}).mesh;
  mesh.regions.push_back({"end", mesh.regions.front().material});
  mesh.element_region = {0, 1, -1};
  mesh.vertex_sets["corner"] = {0, 5};
  const VolumeMesh split = split_into_tetrahedra(mesh);
  EXPECT_EQ(split.regions.size(), 2U);
  EXPECT_EQ(split.vertex_sets, mesh.vertex_sets);
  ASSERT_EQ(split.element_region.size(), 18U);
  for (std::size_t e = 0; e < 18; ++e) EXPECT_EQ(split.element_region[e], mesh.element_region[e / 6]);
}

TEST(Tetrahedra, AreRefusedWhereTheyWouldntMeet) {
  VolumeMesh mesh = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1}).mesh;
  auto& corners = mesh.blocks.front().vertices;
  std::rotate(corners.begin(), corners.begin() + 2, corners.begin() + 4);  // a half turn about z,
  std::rotate(corners.begin() + 4, corners.begin() + 6, corners.begin() + 8);
  ASSERT_EQ(check_mesh(mesh).inverted, 0);  // after which it is as good a mesh as before
  EXPECT_THROW(static_cast<void>(split_into_tetrahedra(mesh)), InputError);
  EXPECT_THROW(static_cast<void>(split_into_tetrahedra({})), InputError);
  EXPECT_THROW(static_cast<void>(split_into_tetrahedra(make_box({.type = ElementType::tet4}).mesh)), InputError);
  mesh = make_box().mesh;
  mesh.element_region.pop_back();
  EXPECT_THROW(static_cast<void>(split_into_tetrahedra(mesh)), InputError);
  mesh = make_box().mesh;
  mesh.blocks.front().vertices.pop_back();
  mesh.element_region.pop_back();
  EXPECT_THROW(static_cast<void>(split_into_tetrahedra(mesh)), InputError);
}

}  // namespace
}  // namespace quartic
