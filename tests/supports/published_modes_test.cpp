// Published frequencies of bodies held in directions: docs/benchmarks.md has the values side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "quartic/attachments.hpp"
#include "quartic/modes.hpp"
#include "quartic/procedural.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using namespace quartic;
using test::plane;

std::vector<double> frequencies(const LinearModes& modes) {
  std::vector<double> hertz;
  for (const double value : modes.eigenvalues) hertz.push_back(std::sqrt(value) / (2 * std::numbers::pi));
  return hertz;
}

void expect_published(const VolumeMesh& mesh, const Supports& supports, const std::vector<double>& published,
                      double relative) {
  const std::vector<double> ours =
      frequencies(linear_modes(ElasticSystem(mesh, supports), {.count = static_cast<int>(published.size())}));
  for (std::size_t i = 0; i < published.size(); ++i) EXPECT_NEAR(ours[i] / published[i], 1, relative) << i;
}

VolumeMesh steel_plate(double thickness, int cells, int layers = 1) {
  return make_quadratic(make_box({.length = 10,
                                  .width = 10,
                                  .height = thickness,
                                  .cells_x = cells,
                                  .cells_y = cells,
                                  .cells_z = layers,
                                  .material = {2e11, 0.3, 8000}})
                            .mesh);
}

double edge_distance(const VolumeMesh& mesh, std::int32_t vertex) {
  const auto x = test::position(mesh, vertex);
  return std::min({x[0], x[1], 10 - x[0], 10 - x[1]});
}

// NAFEMS, Selected Benchmarks for Natural Frequency Analysis (1989), test FV52: a thick plate of 10 x 10 x 1 m, whose
// lower edges are held along z. Three rigid motions are left. Its values of 20-node bricks, 4 x 4 x 1 of them, are
// given beside those of plate theory (Code_Aster V2.03.502).
TEST(PublishedModes, SimplySupportedSolidPlateFV52) {
  const auto modes_of = [](int cells) {
    const VolumeMesh mesh = steel_plate(1, cells);
    std::vector<std::int32_t> edges;
    for (const auto v : plane(mesh, 2, 0))
      if (edge_distance(mesh, v) < 1e-9) edges.push_back(v);
    return linear_modes(ElasticSystem(mesh, {{}, hold_along(edges, {0, 0, 1})}), {.count = 7});
  };
  const LinearModes modes = modes_of(4);
  EXPECT_EQ(modes.rigid_modes, 3);
  const std::vector<double> ours = frequencies(modes),
                            bricks = {44.762, 110.52, 110.52, 169.08, 193.93, 206.64, 206.64};
  for (std::size_t i = 0; i < bricks.size(); ++i) EXPECT_NEAR(ours[i] / bricks[i], 1, 1e-3) << i;
  // A line is no support of a solid: finer elements find ever more give beside it.
  EXPECT_LT(frequencies(modes_of(8))[0], 0.99 * ours[0]);
}

// Held over its thickness, along z and along the edges, the plate has an exact solution: Srinivas, Rao & Rao (1970)
// give omega h sqrt(rho / G) = 0.0932, 0.2226 and 0.3421 for h / a = 0.1, which thick-plate theory is near to.
TEST(PublishedModes, SolidPlateOnItsSides) {
  const VolumeMesh mesh = steel_plate(1, 8, 2);
  Supports supports;
  for (int axis = 0; axis < 2; ++axis)
    for (const double side : {0.0, 10.0})
      for (const int held : {1 - axis, 2})
        test::append(supports.constraints,
                     hold_along(plane(mesh, axis, side), test::array_of(Eigen::Vector3d::Unit(held))));
  const LinearModes modes = linear_modes(ElasticSystem(mesh, supports), {.count = 6});
  const double shear_speed = std::sqrt(2e11 / 2.6 / 8000);
  for (const double published : {0.0932, 0.2226, 0.3421}) {
    double nearest = 1;
    for (const double value : modes.eigenvalues)
      nearest = std::min(nearest, std::abs(std::sqrt(value) / shear_speed / published - 1));
    EXPECT_LE(nearest, 3e-3) << published;
  }
}

// NAFEMS FV4: a round cantilever, 10 m long and 0.5 m thick, with 10 t and 1 t at 2 m to both sides of its tip, on
// rigid links. The published values are those of beam theory.
TEST(PublishedModes, CantileverWithOffCentreMassesFV4) {
  VolumeMesh mesh = make_quadratic(make_box({.length = 10,
                                             .width = 1,
                                             .height = 1,
                                             .cells_x = 20,
                                             .cells_y = 4,
                                             .cells_z = 4,
                                             .material = {2e11, 0.3, 8000}})
                                       .mesh);
  const auto root = plane(mesh, 0, 0), tip = plane(mesh, 0, 10);
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {  // the square onto the disk
    double* x = mesh.vertices.data() + 3 * std::ptrdiff_t{v};
    const double y = 2 * x[1] - 1, z = 2 * x[2] - 1;
    x[1] = 0.25 * y * std::sqrt(1 - z * z / 2);
    x[2] = 0.25 * z * std::sqrt(1 - y * y / 2);
  }
  attach_rigid_mass(mesh, tip, {.mass = 10000, .centre = {10, 2, 0}}, Link::rigid);
  attach_rigid_mass(mesh, tip, {.mass = 1000, .centre = {10, -2, 0}}, Link::rigid);
  expect_published(mesh, root, {1.723, 1.727, 7.413, 9.972, 18.155, 26.957}, 5e-3);
}

// The plate of FV52 as a quarter, cut along both planes of symmetry: the modes that are symmetric about both.
TEST(PublishedModes, QuarterOfThePlateFV52) {
  const auto model = [](double size, int cells, bool quarter) {
    const VolumeMesh mesh = make_quadratic(make_box({.length = size,
                                                     .width = size,
                                                     .height = 1,
                                                     .cells_x = cells,
                                                     .cells_y = cells,
                                                     .cells_z = 1,
                                                     .material = {2e11, 0.3, 8000}})
                                               .mesh);
    std::vector<std::int32_t> edges;
    for (const auto v : plane(mesh, 2, 0)) {
      const auto x = test::position(mesh, v);
      const double away = quarter ? std::min(x[0], x[1]) : std::min({x[0], x[1], size - x[0], size - x[1]});
      if (away < 1e-9) edges.push_back(v);
    }
    Supports supports({}, hold_along(edges, {0, 0, 1}));
    if (quarter)
      for (int axis = 0; axis < 2; ++axis)
        test::append(supports.constraints,
                     hold_along(plane(mesh, axis, size), test::array_of(Eigen::Vector3d::Unit(axis))));
    return linear_modes(ElasticSystem(mesh, supports), {.count = quarter ? 2 : 10});
  };
  const LinearModes quarter = model(5, 3, true), whole = model(10, 6, false);
  EXPECT_EQ(quarter.rigid_modes, 0);
  EXPECT_NEAR(quarter.eigenvalues[0] / whole.eigenvalues[0], 1, 1e-10);
  double nearest = 1;
  for (const double value : whole.eigenvalues)
    nearest = std::min(nearest, std::abs(quarter.eigenvalues[1] / value - 1));
  EXPECT_LE(nearest, 1e-10);
}

// NAFEMS FV12 and FV16: a thin square plate, free and held at one edge.
TEST(PublishedModes, ThinSquarePlatesFV12AndFV16) {
  const VolumeMesh mesh = steel_plate(0.05, 12);
  expect_published(mesh, {}, {1.622, 2.360, 2.922, 4.233, 4.233, 7.416}, 0.01);
  expect_published(mesh, plane(mesh, 0, 0), {0.421, 1.029, 2.582, 3.306, 3.753, 6.555}, 0.015);
}

// NAFEMS FV32: a tapered membrane, 10 m long, 5 m high at its root and 1 m at its tip. Half its thickness, held along z
// in its middle plane, is in plane stress exactly.
TEST(PublishedModes, TaperedMembraneFV32) {
  VolumeMesh mesh = make_quadratic(make_box({.length = 10,
                                             .width = 1,
                                             .height = 0.025,
                                             .cells_x = 16,
                                             .cells_y = 8,
                                             .cells_z = 1,
                                             .material = {2e11, 0.3, 8000}})
                                       .mesh);
  const auto middle = plane(mesh, 2, 0), root = plane(mesh, 0, 0);
  for (std::size_t v = 0; 3 * v < mesh.vertices.size(); ++v)
    mesh.vertices[3 * v + 1] = (mesh.vertices[3 * v + 1] - 0.5) * (5 - 0.4 * mesh.vertices[3 * v]);
  Supports supports({}, hold_along(middle, {0, 0, 1}));
  test::append(supports.constraints, hold_along(root, {1, 0, 0}));
  test::append(supports.constraints, hold_along(root, {0, 1, 0}));
  expect_published(mesh, supports, {44.623, 130.03, 162.70, 246.05, 379.90, 391.44}, 2e-3);
}

// Lamb's sphere: 2.640 c / a for nu = 1/4, and 2.646 for 0.3 (Code_Aster V2.04.401), five times. An octant between its
// planes of symmetry has two of the five, and no other mode below them, and with planes of antisymmetry it has the
// rest.
TEST(PublishedModes, OctantOfASphere) {
  VolumeMesh mesh = make_quadratic(
      make_box(
          {.length = 1, .width = 1, .height = 1, .cells_x = 3, .cells_y = 3, .cells_z = 3, .material = {1, 0.3, 1}})
          .mesh);
  Supports supports;
  for (int axis = 0; axis < 3; ++axis)
    test::append(supports.constraints, hold_along(plane(mesh, axis, 0), test::array_of(Eigen::Vector3d::Unit(axis))));
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {  // the cube's surface onto the sphere
    const Eigen::Vector3d x = test::position(mesh, v), square = x.cwiseAbs2();
    for (int c = 0; c < 3; ++c) {
      const double a = square[(c + 1) % 3], b = square[(c + 2) % 3];
      mesh.vertices[static_cast<std::size_t>(3 * v + c)] = x[c] * std::sqrt(1 - a / 2 - b / 2 + a * b / 3);
    }
  }
  const LinearModes modes = linear_modes(ElasticSystem(mesh, supports), {.count = 2});
  const double shear_speed = std::sqrt(1 / 2.6);
  for (const double value : modes.eigenvalues) EXPECT_NEAR(std::sqrt(value) / shear_speed, 2.646, 3e-3);
  // The other three are symmetric to one plane and antisymmetric to both others, as a turn about that one's normal is.
  for (int axis = 0; axis < 3; ++axis) {
    Supports mixed;
    for (int other = 0; other < 3; ++other)
      for (int c = 0; c < 3; ++c)
        if ((c == other) == (other == axis))
          test::append(mixed.constraints, hold_along(plane(mesh, other, 0), test::array_of(Eigen::Vector3d::Unit(c))));
    const LinearModes third = linear_modes(ElasticSystem(mesh, mixed), {.count = 1});
    EXPECT_EQ(third.rigid_modes, 1);
    EXPECT_NEAR(std::sqrt(third.eigenvalues[0]) / shear_speed, 2.646, 3e-3);
  }
}

// A steel bar between guides: held along y and z everywhere, free along x but for one end. Rods of this kind, with
// the stiffness of uniaxial strain, have f_n = (2 n - 1) c / (4 L), c^2 = (lambda + 2 mu) / rho.
TEST(PublishedModes, BarBetweenGuides) {
  const Material steel{2.1e11, 0.3, 7850};
  const VolumeMesh mesh = make_quadratic(make_box({.cells_x = 20, .cells_y = 1, .cells_z = 1, .material = steel}).mesh);
  std::vector<std::int32_t> all;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) all.push_back(v);
  Supports supports(plane(mesh, 0, 0), hold_along(all, {0, 1, 0}));
  test::append(supports.constraints, hold_along(all, {0, 0, 1}));
  const LinearModes modes = linear_modes(ElasticSystem(mesh, supports), {.count = 3});
  const double speed = std::sqrt((lame_lambda(steel) + 2 * lame_mu(steel)) / steel.density);
  for (int n = 1; n <= 3; ++n)  // quadratic elements: an error of (k h)^4 / 1440 or so, k h = 0.08 (2 n - 1)
    EXPECT_NEAR(frequencies(modes)[static_cast<std::size_t>(n - 1)] / ((2 * n - 1) * speed / 4), 1, 2e-5) << n;
}

}  // namespace
