// Boundaries of quadratic elements curved by a surface, against bodies whose volume is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "quartic/surface.hpp"
#include "support/grids.hpp"

namespace quartic {
namespace {

constexpr double pi = std::numbers::pi;

// A tube around z, from `inner` to 1 and of height 1: a grid of cells around, one across, two along, rolled up.
VolumeMesh tube(double inner, int around, bool tetrahedra = false) {
  VolumeMesh mesh = test::grid(around, 1, 2, tetrahedra);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    const double angle = 2 * pi * mesh.vertices[v] / around, radius = 1 - (1 - inner) * mesh.vertices[v + 1];
    mesh.vertices[v] = radius * std::cos(angle);
    mesh.vertices[v + 1] = radius * std::sin(angle);
    mesh.vertices[v + 2] *= 0.5;
  }
  weld_vertices(mesh, 1e-9);
  static_cast<void>(repair_orientation(mesh));
  return mesh;
}

// The mantle of a cylinder around z, from z = -1 to 2.
TriangleMesh cylinder(double radius, int around) {
  TriangleMesh surface;
  for (int i = 0; i < around; ++i)
    for (const double z : {-1.0, 2.0}) {
      const double angle = 2 * pi * i / around;
      surface.vertices.insert(surface.vertices.end(), {radius * std::cos(angle), radius * std::sin(angle), z});
      const int next = (i + 1) % around;
      if (z < 0)
        surface.triangles.insert(surface.triangles.end(), {2 * i, 2 * next, 2 * next + 1});
      else
        surface.triangles.insert(surface.triangles.end(), {2 * i, 2 * next + 1, 2 * i + 1});
    }
  return surface;
}

TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto first = static_cast<std::int32_t>(a.vertex_count());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const std::int32_t v : b.triangles) a.triangles.push_back(first + v);
  return a;
}

TriangleMesh turned_round(TriangleMesh surface) {
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3)
    std::swap(surface.triangles[t], surface.triangles[t + 1]);
  return surface;
}

// A surface around z by the radius and height of its rings, wound outwards where these run upwards.
TriangleMesh turned(const std::vector<std::array<double, 2>>& rings, int around) {
  TriangleMesh surface;
  for (const auto& [radius, z] : rings)
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * pi * i / around;
      surface.vertices.insert(surface.vertices.end(), {radius * std::cos(angle), radius * std::sin(angle), z});
    }
  for (int ring = 0; ring + 1 < static_cast<int>(rings.size()); ++ring)
    for (int i = 0; i < around; ++i) {
      const int a = ring * around + i, b = ring * around + (i + 1) % around, c = a + around, d = b + around;
      surface.triangles.insert(surface.triangles.end(), {a, b, d, a, d, c});
    }
  return surface;
}

// That of `tube`, closed by its caps.
TriangleMesh capped_tube(double inner, int around) {
  return turned({{inner, 0}, {1, 0}, {1, 1}, {inner, 1}, {inner, 0}}, around);
}

// A cylinder of radius and height 1 with a cone on top, as wedges that meet in the axis, and its surface.
VolumeMesh pencil(double cone, int around) {
  VolumeMesh mesh;
  mesh.vertices = {0, 0, 0, 0, 0, 1 + cone};
  ElementBlock block{ElementType::wedge6, {}};
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * pi * i / around;
    for (const double z : {0.0, 1.0}) mesh.vertices.insert(mesh.vertices.end(), {std::cos(angle), std::sin(angle), z});
    const int a = 2 + 2 * i, b = 2 + 2 * ((i + 1) % around);
    block.vertices.insert(block.vertices.end(), {0, a, b, 1, a + 1, b + 1});
  }
  mesh.blocks = {block};
  test::give_region(mesh);
  return mesh;
}

TriangleMesh pencil_surface(double cone, int around) {
  return turned({{0, 0}, {1, 0}, {1, 1}, {0, 1 + cone}}, around);
}

class TubesTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Types, TubesTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "tet10" : "hex20"; });

// An arc of the angle 2 h is cut off by its chord with an error of h^2 of the volume, and by the parabola through its
// middle with h^4: 6.8 % and 0.09 % for eight arcs around.
TEST_P(TubesTest, VolumeIsThatOfTheRoundBody) {
  const double exact = pi * (1 - 0.25);
  for (const int around : {8, 16, 32}) {
    VolumeMesh mesh = make_quadratic(tube(0.5, around, GetParam()));
    const double straight = check_mesh(mesh).volume;
    EXPECT_LT(straight, exact * (1 - 3.9 / (around * around)));
    const BoundaryCurving curving =
        curve_boundary(mesh, joined(cylinder(1, 64 * around), turned_round(cylinder(0.5, 64 * around))));
    const MeshReport report = check_mesh(mesh);
    EXPECT_NEAR(report.volume / exact, 1, 30.0 / std::pow(around, 4)) << around;
    EXPECT_EQ(report.degenerate, 0);
    EXPECT_EQ(curving.would_fold, 0);
    EXPECT_NEAR(curving.largest_distance, 1 - std::cos(pi / around), 1e-3 / around);  // of the outer arcs
  }
}

TEST_P(TubesTest, MiddlesLieOnTheSurfaceAndCornersStay) {
  const VolumeMesh straight = make_quadratic(tube(0.5, 12, GetParam()));
  const std::size_t corners = 3 * static_cast<std::size_t>(tube(0.5, 12, GetParam()).vertex_count());
  VolumeMesh mesh = straight;
  const BoundaryCurving curving = curve_boundary(mesh, cylinder(1, 1200));
  std::int64_t moved = 0;
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    const double before = std::hypot(straight.vertices[v], straight.vertices[v + 1]);
    const double after = std::hypot(mesh.vertices[v], mesh.vertices[v + 1]);
    const bool outer_arc = v >= corners && before > 0.9 && before < 1 - 1e-9;
    EXPECT_NEAR(after, outer_arc ? 1 : before, 1e-5);
    moved += after != before;
  }
  EXPECT_GE(curving.curved, moved);
  EXPECT_GT(moved, 30);
  EXPECT_GT(curving.off_surface, 30);  // of the inner side
}

// The chord of a rim lies on the flat cap, but its arc on the mantle as well.
TEST_P(TubesTest, RimsOfCapsAreCurved) {
  for (const double inner : {0.5, 0.9})
    for (const int around : {12, 24, 48}) {
      if (GetParam() && inner > 0.5 && around == 12) continue;  // folds, see CountsWhatThinTetrahedraCannotTake
      const double exact = pi * (1 - inner * inner);
      VolumeMesh mesh = make_quadratic(tube(inner, around, GetParam()));
      const BoundaryCurving curving = curve_boundary(mesh, capped_tube(inner, 64 * around));
      EXPECT_NEAR(check_mesh(mesh).volume / exact, 1, 30.0 / std::pow(around, 4)) << inner << ' ' << around;
      EXPECT_NEAR(curving.volume_after, check_mesh(mesh).volume, 1e-12);
      EXPECT_NEAR(curving.volume_before, around / 2.0 * std::sin(2 * pi / around) * exact / pi, 1e-12);
      ASSERT_TRUE(curving.enclosed_volume);
      EXPECT_NEAR(*curving.enclosed_volume / exact, 1, 1e-4);
      EXPECT_FALSE(curving.away_from_surface());
      EXPECT_EQ(curving.off_surface + curving.at_crease + curving.would_fold, 0);
      // Arcs of three levels, inside and outside; of tetrahedra the diagonals of the mantles' quads, too.
      EXPECT_EQ(curving.curved, (GetParam() ? 10 : 6) * around);
      EXPECT_GT(curving.on_surface, 0);
    }
}

// Also where the surface turns at the rim by 90 degrees, or by 30, so that both sides face nearly the same way. With
// the distance r from the tip, a cone's arcs rise above their chords by r; the quadratic faces between straight edges
// and one arc do by r^2. Over the cone's height this leaves a quarter of what the chords cut off, and less of the
// angle's fourth power.
TEST(CurveBoundaryTest, SolidsOfWedgesGetTheirRoundVolume) {
  for (const double cone : {0.0, std::tan(pi / 3)})
    for (const int around : {8, 16, 32}) {
      const double exact = pi * (1 + cone / 3);
      VolumeMesh mesh = make_quadratic(pencil(cone, around));
      const BoundaryCurving curving = curve_boundary(mesh, pencil_surface(cone, 64 * around));
      const MeshReport report = check_mesh(mesh);
      const double left = cone / (3 + cone) * std::pow(2 * pi / around, 2) / 24;
      EXPECT_NEAR(report.volume / exact, 1 - left, 30.0 / std::pow(around, 4)) << cone << ' ' << around;
      EXPECT_EQ(report.degenerate, 0);
      EXPECT_EQ(curving.curved, 2 * around);
      EXPECT_EQ(curving.off_surface + curving.at_crease + curving.would_fold, 0);
    }
}

// The chord's middle is nearer to the wall's other side than to its own.
TEST(CurveBoundaryTest, ThinWallsKeepTheirSides) {
  VolumeMesh mesh = make_quadratic(tube(0.96, 12));
  const BoundaryCurving curving = curve_boundary(mesh, capped_tube(0.96, 1200));
  const MeshReport report = check_mesh(mesh);
  EXPECT_NEAR(report.volume / (pi * (1 - 0.96 * 0.96)), 1, 1e-3);
  EXPECT_EQ(report.degenerate, 0);
  EXPECT_EQ(curving.curved, 6 * 12);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    const double radius = std::hypot(mesh.vertices[v], mesh.vertices[v + 1]);
    EXPECT_LT(std::min({std::abs(radius - 1), std::abs(radius - 0.96), std::abs(radius - 0.98)}), 1e-5);
  }
}

TEST(CurveBoundaryTest, ClosedSurfacesMayBeWoundInwards) {
  VolumeMesh outwards = make_quadratic(tube(0.9, 12)), inwards = outwards;
  static_cast<void>(curve_boundary(outwards, capped_tube(0.9, 240)));
  const BoundaryCurving curving = curve_boundary(inwards, turned_round(capped_tube(0.9, 240)));
  for (std::size_t i = 0; i < inwards.vertices.size(); ++i)
    EXPECT_NEAR(outwards.vertices[i], inwards.vertices[i], 2e-3);  // of facets equally near, either
  EXPECT_GT(curving.enclosed_volume.value_or(0), 0);
}

// A piece of a longer tube is cut by planes of which the surface knows nothing.
TEST(CurveBoundaryTest, CutsStayFlat) {
  VolumeMesh mesh = make_quadratic(tube(0.5, 12));
  const BoundaryCurving curving = curve_boundary(mesh, turned({{0.5, -1}, {1, -1}, {1, 2}, {0.5, 2}, {0.5, -1}}, 1200));
  EXPECT_NEAR(check_mesh(mesh).volume / (pi * 0.75), 1, 1e-3);
  EXPECT_EQ(curving.curved, 6 * 12);
  for (std::size_t v = 2; v < mesh.vertices.size(); v += 3) {
    const double level = 4 * mesh.vertices[v];
    EXPECT_NEAR(level, std::round(level), 1e-9);
  }
}

TEST(CurveBoundaryTest, FlatFacesHaveNothingToCurve) {
  VolumeMesh mesh = make_quadratic(test::grid(2, 2, 2, false));
  TriangleMesh cube;
  cube.vertices = mesh.vertices;
  VolumeMesh linear = test::grid(2, 2, 2, false);
  cube.triangles = boundary_triangles(linear);
  const BoundaryCurving curving = curve_boundary(mesh, cube);
  EXPECT_EQ(curving.curved, 0);
  EXPECT_EQ(curving.largest_distance, 0);
  EXPECT_EQ(curving.on_surface, 48);
}

TEST(CurveBoundaryTest, UnfoldsWhatAMisplacedMiddleFolded) {
  const TriangleMesh surface = capped_tube(0.98, 800);
  VolumeMesh mesh = make_quadratic(tube(0.98, 8));
  static_cast<void>(curve_boundary(mesh, surface));
  ASSERT_EQ(check_mesh(mesh).degenerate, 0);
  std::size_t misplaced = 3 * static_cast<std::size_t>(tube(0.98, 8).vertex_count());  // an outer arc's middle
  while (std::hypot(mesh.vertices[misplaced], mesh.vertices[misplaced + 1]) < 1 - 1e-5 ||
         std::abs(std::remainder(std::atan2(mesh.vertices[misplaced + 1], mesh.vertices[misplaced]), pi / 4)) < 0.1)
    misplaced += 3;
  for (std::size_t axis = 0; axis < 2; ++axis) mesh.vertices[misplaced + axis] *= 0.96;
  ASSERT_GT(check_mesh(mesh).degenerate, 0);
  const BoundaryCurving curving = curve_boundary(mesh, surface);
  EXPECT_EQ(curving.curved, 1);
  EXPECT_EQ(curving.would_fold, 0);
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
}

TEST(CurveBoundaryTest, TellsThatTheVolumeLeavesTheSurfaces) {
  VolumeMesh mesh = make_quadratic(pencil(0, 12));
  TriangleMesh surface = pencil_surface(0, 240);
  EXPECT_FALSE(curve_boundary(mesh, surface).away_from_surface());
  // The mesh fills a cavity of the surface, and is larger than what that encloses before it is curved.
  mesh = make_quadratic(pencil(0, 12));
  TriangleMesh cavity = turned_round(pencil_surface(0, 240));
  for (double& x : cavity.vertices) x = 0.25 + 0.5 * x;
  const BoundaryCurving curving = curve_boundary(mesh, joined(surface, cavity));
  EXPECT_GT(curving.curved, 0);
  EXPECT_TRUE(curving.away_from_surface());
}

// Voxels fill a surface without lying on it: nothing there is known to be round.
TEST(CurveBoundaryTest, ResemblingSurfacesAreLeftAlone) {
  VolumeMesh mesh = make_quadratic(tube(0.5, 12));
  const std::vector<double> before = mesh.vertices;
  const BoundaryCurving curving = curve_boundary(mesh, cylinder(1.1, 100));
  EXPECT_EQ(curving.curved, 0);
  EXPECT_GT(curving.off_surface, 0);
  EXPECT_EQ(mesh.vertices, before);
}

// The inner side of a thin tube, curved alone, would come through the outer one, which stays straight.
TEST(CurveBoundaryTest, NoElementIsFolded) {
  VolumeMesh mesh = make_quadratic(tube(0.98, 8));
  const BoundaryCurving curving = curve_boundary(mesh, turned_round(cylinder(0.98, 800)));
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  EXPECT_GT(curving.would_fold, 0);
}

// Inner arcs would come through tetrahedra whose inner edges stay straight. The outer ones are curved alone then, which
// makes the tube too thick: that is told.
TEST(CurveBoundaryTest, CountsWhatThinTetrahedraCannotTake) {
  VolumeMesh mesh = make_quadratic(tube(0.9, 12, true));
  const BoundaryCurving curving = curve_boundary(mesh, capped_tube(0.9, 768));
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  EXPECT_GT(curving.would_fold, 0);
  EXPECT_GT(curving.volume_after, *curving.enclosed_volume);
  EXPECT_TRUE(curving.away_from_surface());
}

TEST(CurveBoundaryTest, RefusesWhatCannotBeCurved) {
  VolumeMesh linear = tube(0.5, 8);
  EXPECT_THROW((void)curve_boundary(linear, cylinder(1, 8)), InputError);
  VolumeMesh mesh = make_quadratic(linear);
  EXPECT_THROW((void)curve_boundary(mesh, {}), InputError);
  TriangleMesh bad = cylinder(1, 8);
  bad.vertices[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)curve_boundary(mesh, bad), InputError);
  bad = cylinder(1, 8);
  bad.triangles[0] = 99;
  EXPECT_THROW((void)curve_boundary(mesh, bad), InputError);
}

}  // namespace
}  // namespace quartic
