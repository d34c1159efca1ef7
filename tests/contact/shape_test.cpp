// Signed distances of shapes: against each other, closed forms and differences.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "quartic/contact.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;
using test::message_of;
using Point = std::array<double, 3>;

Point random_point(unsigned seed, double size) {
  const std::vector<double> x = test::random_numbers(3, seed);
  return {size * x[0], size * x[1], size * x[2]};
}

// A box as twelve triangles, at `low` with the extents `size`.
void append_box(const Vector3d& low, const Vector3d& size, MeshShape& mesh) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size() / 3);
  for (int n = 0; n < 8; ++n)
    for (int a = 0; a < 3; ++a) mesh.vertices.push_back(low[a] + (n >> a & 1) * size[a]);
  for (const int v :
       {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5})
    mesh.triangles.push_back(first + v);
}

std::vector<Shape> all_kinds() {
  MeshShape mesh;
  append_box({-0.7, -0.4, -0.5}, {1.4, 0.8, 1.0}, mesh);
  const Shape ball{SphereShape{0.8}};
  return {Shape{PlaneShape{{1, 2, -2}, 0.3}},
          ball,
          Shape{CapsuleShape{0.3, 0.5}},
          Shape{BoxShape{{0.7, 0.4, 0.5}}},
          Shape{distance_grid(ball, {-1, -1, -1}, {1, 1, 1}, 0.1)},
          Shape{mesh}};
}

TEST(ShapeTest, DistancesInClosedForm) {
  const auto gap = [](const ShapeGeometry& geometry, Point x) { return Shape(geometry).distance(x).gap; };
  EXPECT_DOUBLE_EQ(gap(PlaneShape{{0, 0, 2}, 0.5}, {3, 4, 2}), 1.5);
  EXPECT_DOUBLE_EQ(gap(SphereShape{2}, {3, 0, 4}), 3);
  EXPECT_DOUBLE_EQ(gap(SphereShape{2}, {0, 0, 0}), -2);
  EXPECT_DOUBLE_EQ(gap(CapsuleShape{1, 2}, {3, 0, 1.5}), 2);
  EXPECT_DOUBLE_EQ(gap(CapsuleShape{1, 2}, {3, 0, 6}), 4);
  EXPECT_DOUBLE_EQ(gap(BoxShape{{1, 2, 3}}, {0.75, 0, 0}), -0.25);
  EXPECT_DOUBLE_EQ(gap(BoxShape{{1, 2, 3}}, {4, -6, 3}), 5);
  const Point corner = Shape(BoxShape{{1, 2, 3}}).distance({2, -3, 4}).normal;
  for (std::size_t a = 0; a < 3; ++a) EXPECT_DOUBLE_EQ(corner[a], (a == 1 ? -1 : 1) / std::sqrt(3));
}

// Which is what culling by spheres relies on; normals are of unit length, and the gap's gradient where it has one.
TEST(ShapeTest, GapsChangeNoFasterThanTheirSlope) {
  for (const Shape& shape : all_kinds())
    for (unsigned n = 0; n < 400; ++n) {
      const Point x = random_point(2 * n, 1.8), y = random_point(2 * n + 1, 1.8);
      const SurfaceDistance at_x = shape.distance(x), at_y = shape.distance(y);
      const double way = (Vector3d(x.data()) - Vector3d(y.data())).norm();
      EXPECT_LE(std::abs(at_x.gap - at_y.gap), shape.slope() * way + 1e-14) << shape.geometry().index();
      EXPECT_NEAR(Vector3d(at_x.normal.data()).norm(), 1, 1e-14);
    }
}

TEST(ShapeTest, NormalsAreGradients) {
  constexpr double h = 1e-6;
  for (const Shape& shape : all_kinds()) {
    const bool is_grid = std::holds_alternative<DistanceGrid>(shape.geometry());
    int smooth = 0;
    for (unsigned n = 0; n < 200; ++n) {
      const Point x = random_point(n, 0.95);
      if (is_grid && Vector3d(x.data()).norm() < 0.5) continue;  // its lattice is too coarse for the ball's centre
      Vector3d gradient;
      for (std::size_t a = 0; a < 3; ++a) {
        Point left = x, right = x;
        left[a] -= h, right[a] += h;
        gradient[static_cast<Eigen::Index>(a)] = (shape.distance(right).gap - shape.distance(left).gap) / (2 * h);
      }
      if (!is_grid && std::abs(gradient.norm() - 1) > 1e-6) continue;  // where two faces are equally near
      ++smooth;
      EXPECT_LT((gradient.normalized() - Vector3d(shape.distance(x).normal.data())).norm(), is_grid ? 0.1 : 1e-7)
          << shape.geometry().index() << ": " << x[0] << ' ' << x[1] << ' ' << x[2];
    }
    EXPECT_GT(smooth, 100);
  }
}

TEST(ShapeTest, AMeshOfABoxIsTheBox) {
  const std::vector<Shape> shapes = all_kinds();
  const Shape &box = shapes[3], &mesh = shapes[5];
  for (unsigned n = 0; n < 2000; ++n) {
    const Point x = random_point(n, 1.2);
    EXPECT_NEAR(mesh.distance(x).gap, box.distance(x).gap, 1e-14);
  }
  // On edges, corners and faces, where the way to the surface is zero.
  EXPECT_NEAR(mesh.distance({0.7, 0.4, 0.5}).gap, 0, 1e-15);
  EXPECT_NEAR(Vector3d(mesh.distance({0.7, 0.4, 0.5}).normal.data()).dot(Vector3d(1, 1, 1)), std::sqrt(3), 1e-14)
      << "three right angles weigh the same, whatever triangles they are made of";
  EXPECT_NEAR(mesh.distance({0.7, 0.1, 0.2}).normal[0], 1, 1e-14);
}

// Two boxes side by side as one body with a step: signs at the concave edge.
TEST(ShapeTest, ConcaveMeshesHaveTheRightSigns) {
  // The profile of an L in the x-z plane, extruded along y.
  const double profile[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  MeshShape mesh;
  for (const double y : {0.0, 1.0})
    for (const auto& p : profile) mesh.vertices.insert(mesh.vertices.end(), {p[0], y, p[1]});
  const int caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  for (const auto& t : caps) {  // seen from y = -infinity, x right and z up, the profile is counter-clockwise
    for (const int c : {0, 1, 2}) mesh.triangles.push_back(t[c]);
    for (const int c : {0, 2, 1}) mesh.triangles.push_back(6 + t[c]);
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    for (const int v : {i, 6 + i, j, j, 6 + i, 6 + j}) mesh.triangles.push_back(v);
  }
  const Shape shape{mesh};
  int inside = 0;
  for (unsigned n = 0; n < 3000; ++n) {
    Point x = random_point(n, 1.2);
    x = {x[0] + 1, x[1] + 0.5, x[2] + 1};
    const bool within =
        x[1] > 0 && x[1] < 1 && x[0] > 0 && x[2] > 0 && ((x[0] < 2 && x[2] < 1) || (x[0] < 1 && x[2] < 2));
    EXPECT_EQ(shape.distance(x).gap < 0, within) << x[0] << ' ' << x[1] << ' ' << x[2];
    inside += within ? 1 : 0;
  }
  EXPECT_GT(inside, 200);
  EXPECT_NEAR(shape.distance({1.5, 0.5, 1.25}).gap, 0.25, 1e-14);
  EXPECT_NEAR(shape.distance({0.875, 0.5, 0.875}).gap, -std::sqrt(2) / 8, 1e-14);
}

// Trilinear interpolation of a plane's distance is exact, of a ball's wrong by h^2 / 8 times its curvatures 2 / r.
TEST(ShapeTest, GridsInterpolate) {
  const Shape plane{PlaneShape{{1, -2, 2}, -5}};
  const Shape grid{distance_grid(plane, {-1, -1, -1}, {1, 1, 1}, 0.5)};
  for (unsigned n = 0; n < 200; ++n) {
    const Point x = random_point(n, 1);
    EXPECT_NEAR(grid.distance(x).gap, plane.distance(x).gap, 1e-14);
    EXPECT_NEAR((Vector3d(grid.distance(x).normal.data()) - Vector3d(1, -2, 2) / 3).norm(), 0, 1e-14);
  }
  const Shape ball{SphereShape{1}};
  double errors[2] = {};
  for (int level = 0; level < 2; ++level) {
    const Shape sampled{distance_grid(ball, {-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}, 0.2 / (1 + level))};
    for (unsigned n = 0; n < 2000; ++n) {
      const Vector3d x = Vector3d(random_point(n, 1).data()).normalized() * 1.02;
      errors[level] = std::max(errors[level], std::abs(sampled.distance({x[0], x[1], x[2]}).gap - 0.02));
    }
  }
  EXPECT_LT(errors[0], 0.2 * 0.2 / 4 * 1.1);
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.6);
}

TEST(ShapeTest, BeyondAGridTheWayThereIsAdded) {
  const Shape grid{distance_grid(Shape{SphereShape{0.5}}, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0.125)};
  const double edge = 0.5 + 0.125;
  const double there = grid.distance({edge, 0, 0}).gap;
  EXPECT_NEAR(grid.distance({edge + 2, 0, 0}).gap, there + 2, 1e-14);
  EXPECT_GT(there, 0);
  EXPECT_NEAR(grid.distance({edge + 2, 0, 0}).normal[0], 1, 1e-14);
}

TEST(ShapeTest, RefusesWhatIsNoSolid) {
  const auto expect_refused = [](const ShapeGeometry& geometry, const std::string& part) {
    const std::string message = message_of([&] { static_cast<void>(Shape(geometry)); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused(PlaneShape{{0, 0, 0}, 0}, "normal");
  expect_refused(PlaneShape{{0, 0, 1}, nan}, "offset");
  expect_refused(SphereShape{0}, "radius");
  expect_refused(CapsuleShape{1, -1}, "half length");
  expect_refused(BoxShape{{1, nan, 1}}, "box");
  DistanceGrid grid{.counts = {2, 2, 2}, .values = std::vector<double>(8, 1)};
  static_cast<void>(Shape(grid));
  grid.values[3] = -1;
  expect_refused(grid, "larger");
  grid.values.pop_back();
  expect_refused(grid, "7 values");
  MeshShape mesh;
  append_box({0, 0, 0}, {1, 1, 1}, mesh);
  static_cast<void>(Shape(mesh));
  std::swap(mesh.triangles[0], mesh.triangles[1]);
  expect_refused(mesh, "wound");
  std::swap(mesh.triangles[0], mesh.triangles[1]);
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) std::swap(mesh.triangles[t], mesh.triangles[t + 1]);
  expect_refused(mesh, "inwards");
  mesh.triangles.resize(33);
  expect_refused(mesh, "closed");
  mesh.triangles[0] = 8;
  expect_refused(mesh, "vertex 8");
  EXPECT_NE(message_of([] {
              static_cast<void>(distance_grid(Shape{SphereShape{2}}, {-1, -1, -1}, {1, 1, 1}, 0.1));
            }).find("larger"),
            std::string::npos);
}

}  // namespace
}  // namespace quartic
