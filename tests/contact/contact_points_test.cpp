// Points of a body's surface: where they are, how dense, and what share of the surface each has.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>

#include "quartic/bound_tree.hpp"
#include "quartic/error.hpp"
#include "quartic/matrix.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/surface_embedding.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using Eigen::Vector3d;

// A bar of 1 x 0.4 x 0.2 m with made-up fields.
ReducedModel bar() {
  ReducedModel model;
  model.mesh = make_box({.length = 1, .width = 0.4, .height = 0.2, .cells_x = 3, .cells_y = 2, .cells_z = 1}).mesh;
  model.basis = Matrix(3 * model.mesh.vertex_count(), 4);
  model.basis.values = test::random_numbers(model.basis.values.size(), 3);
  return model;
}

Vector3d position(const ContactPoints& points, std::int64_t p) {
  return Vector3d(points.positions.data() + 3 * p);
}

TEST(ContactPointsTest, AreTheVerticesWhereNoSpacingIsAsked) {
  const ReducedModel model = bar();
  const ContactPoints points = contact_points(model);
  ASSERT_EQ(points.count(), model.mesh.vertex_count()) << "all are on the surface of this mesh";
  for (std::int64_t p = 0; p < points.count(); ++p) {
    EXPECT_EQ(position(points, p), Vector3d(model.mesh.vertices.data() + 3 * p));
    for (std::int64_t j = 0; j < 4; ++j)
      for (std::int64_t k = 0; k < 3; ++k) EXPECT_EQ(points.basis(3 * p + k, j), model.basis(3 * p + k, j));
  }
}

TEST(ContactPointsTest, SharesAddUpToTheSurface) {
  for (const double spacing : {std::numeric_limits<double>::infinity(), 0.3, 0.07}) {
    const ContactPoints points = contact_points(bar(), {.spacing = spacing});
    double sum = 0;
    for (const double area : points.areas) sum += area;
    EXPECT_NEAR(sum, 2 * (0.4 + 0.2 + 0.08), 1e-13) << spacing;
    EXPECT_GT(*std::min_element(points.areas.begin(), points.areas.end()), 0);
  }
}

TEST(ContactPointsTest, SpacingsThatMakeTooManyAreNamed) {
  for (const double spacing : {1e-300, 1e-9, 3e-5}) {  // beyond numbers, and beyond memory
    const std::string message = test::message_of([&] { (void)contact_points(bar(), {.spacing = spacing}); });
    EXPECT_NE(message.find("take a larger spacing"), std::string::npos) << message;
    EXPECT_EQ(message.find("0.000000"), std::string::npos) << message;
  }
}

TEST(ContactPointsTest, LeaveNoPlaceFartherThanPromised) {
  constexpr double spacing = 0.09;
  const ReducedModel model = bar();
  const ContactPoints points = contact_points(model, {.spacing = spacing});
  const SurfaceEmbedding surface = boundary_surface(model.mesh);
  const std::vector<double> numbers = test::random_numbers(6000, 5);
  double farthest = 0;
  for (std::size_t n = 0; n < 1000; ++n) {
    const auto t = n % static_cast<std::size_t>(surface.triangle_count());
    double a = std::abs(numbers[2 * n]), b = std::abs(numbers[2 * n + 1]);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    Vector3d x = Vector3d::Zero();
    const double weights[] = {1 - a - b, a, b};
    for (std::size_t c = 0; c < 3; ++c)
      x += weights[c] * Vector3d(surface.vertices.data() + 3 * surface.triangles[3 * t + c]);
    double nearest = 1e9;
    for (std::int64_t p = 0; p < points.count(); ++p) nearest = std::min(nearest, (position(points, p) - x).norm());
    farthest = std::max(farthest, nearest);
  }
  EXPECT_LE(farthest, spacing / std::sqrt(3));
  EXPECT_GT(farthest, spacing / 4) << "and not without need";
}

TEST(ContactPointsTest, TrianglesShareThoseOfTheirEdges) {
  const ContactPoints points = contact_points(bar(), {.spacing = 0.05});
  std::set<std::array<std::int64_t, 3>> places;
  for (std::int64_t p = 0; p < points.count(); ++p) {
    const Vector3d x = position(points, p);
    places.insert({std::llround(x[0] * 1e9), std::llround(x[1] * 1e9), std::llround(x[2] * 1e9)});
  }
  EXPECT_EQ(std::ssize(places), points.count());
}

// Fields of points are those of an affine field of the mesh where that is one.
TEST(ContactPointsTest, MoveWithTheirTriangles) {
  ReducedModel model = bar();
  Eigen::Matrix3d gradient;
  gradient << 0.3, -1, 2, 0.5, 0.7, -0.2, 1.1, -0.4, 0.9;
  for (std::int64_t v = 0; v < model.mesh.vertex_count(); ++v) {
    const Vector3d u = gradient * Vector3d(model.mesh.vertices.data() + 3 * v) + Vector3d(1, 2, 3);
    for (std::int64_t k = 0; k < 3; ++k) model.basis(3 * v + k, 2) = u[k];
  }
  const ContactPoints points = contact_points(model, {.spacing = 0.06});
  for (std::int64_t p = 0; p < points.count(); ++p) {
    const Vector3d u = gradient * position(points, p) + Vector3d(1, 2, 3);
    for (std::int64_t k = 0; k < 3; ++k) EXPECT_NEAR(points.basis(3 * p + k, 2), u[k], 1e-14);
  }
}

TEST(ContactPointsTest, TakeTheEmbeddedSurface) {
  ReducedModel model = bar();
  TriangleMesh tetrahedron;
  tetrahedron.vertices = {0.1, 0.1, 0.05, 0.6, 0.1, 0.05, 0.1, 0.3, 0.05, 0.1, 0.1, 0.15};
  tetrahedron.triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  model.surface = embed_surface(model.mesh, tetrahedron);
  const ContactPoints points = contact_points(model);
  ASSERT_EQ(points.count(), 4);
  EXPECT_EQ(position(points, 1), Vector3d(0.6, 0.1, 0.05));
  const Matrix fields = surface_basis(*model.surface, model.basis.map());
  EXPECT_EQ(points.basis.values, fields.values);
}

TEST(ContactPointsTest, RefuseWhatMakesNone) {
  ReducedModel model = bar();
  EXPECT_NE(test::message_of([&] { (void)contact_points(model, {.spacing = 0}); }).find("spacing"), std::string::npos);
  EXPECT_NE(test::message_of([&] { (void)contact_points(model, {.spacing = 1e-7}); }).find("larger"),
            std::string::npos);
  model.basis = {};
  EXPECT_NE(test::message_of([&] { (void)contact_points(model); }).find("basis"), std::string::npos);
}

}  // namespace
}  // namespace quartic
