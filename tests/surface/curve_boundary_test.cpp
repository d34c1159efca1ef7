// Boundaries of quadratic elements curved by a surface, against bodies whose volume is known.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

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
    const BoundaryCurving curving = curve_boundary(mesh, joined(cylinder(1, 64 * around), cylinder(0.5, 64 * around)));
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
  const BoundaryCurving curving = curve_boundary(mesh, cylinder(0.98, 800));
  EXPECT_EQ(check_mesh(mesh).degenerate, 0);
  EXPECT_GT(curving.would_fold, 0);
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
