// Published frequencies of bodies held in directions: docs/benchmarks.md has the values side by side.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

// NAFEMS, Selected Benchmarks for Natural Frequency Analysis (1989), test FV52: a thick plate of 10 x 10 x 1 m, whose
// lower edges are held along z. Three rigid motions are left.
TEST(PublishedModes, SimplySupportedSolidPlateFV52) {
  VolumeMesh mesh = make_quadratic(make_box({.length = 10,
                                             .width = 10,
                                             .height = 1,
                                             .cells_x = 8,
                                             .cells_y = 8,
                                             .cells_z = 1,
                                             .material = {2e11, 0.3, 8000}})
                                       .mesh);
  std::vector<std::int32_t> edges;
  for (const auto v : plane(mesh, 2, 0)) {
    const auto x = test::position(mesh, v);
    const double away = std::min({x[0], x[1], 10 - x[0], 10 - x[1]});
    if (away < 1e-9) edges.push_back(v);
  }
  const LinearModes modes = linear_modes(ElasticSystem(mesh, {{}, hold_along(edges, {0, 0, 1})}), {.count = 7});
  EXPECT_EQ(modes.rigid_modes, 3);
  const std::vector<double> ours = frequencies(modes),
                            published = {45.897, 109.44, 109.44, 167.89, 193.59, 206.19, 206.19};
  // The published values are those of a thick plate; a solid one, held at its lower edges alone, is up to 4 % softer.
  for (std::size_t i = 0; i < published.size(); ++i) EXPECT_NEAR(ours[i] / published[i], 1, 0.045) << i;
}

// The same plate as a quarter, cut along both planes of symmetry: the modes that are symmetric about both.
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
