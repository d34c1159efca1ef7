// The stiffness of elements in pure bending, against what can be derived by hand.
#include "core/locking/bending_patch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"

namespace quartic {
namespace {

constexpr std::array<double, 3> x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

VolumeMesh brick(double length, double width, double height, double nu, int cells_z = 1, int cells_x = 1) {
  return make_box({.length = length,
                   .width = width,
                   .height = height,
                   .cells_x = cells_x,
                   .cells_y = 1,
                   .cells_z = cells_z,
                   .material = {.youngs_modulus = 3, .poissons_ratio = nu, .density = 1}})
      .mesh;
}

// One hex8 of half lengths a, c, b along x, y and the thickness z moves by (alpha x z, beta y z, 0). Its strains are
// alpha z, beta z and the parasitic shears alpha x, beta y; z^2 has the mean b^2 / 3. So its energy is half of
// p alpha^2 + 2 lambda alpha beta + q beta^2 per integral of z^2, and that of forces (f, g) least at f . K^-1 f.
struct Brick {
  double p = 0, q = 0, lambda = 0, youngs_modulus = 3, nu;

  Brick(double a, double c, double b, double poissons_ratio) : nu(poissons_ratio) {
    const double mu = youngs_modulus / (2 * (1 + nu));
    lambda = youngs_modulus * nu / ((1 + nu) * (1 - 2 * nu));
    p = lambda + 2 * mu + mu * a * a / (b * b);
    q = lambda + 2 * mu + mu * c * c / (b * b);
  }
  [[nodiscard]] double beam() const { return (p * q - lambda * lambda) / (youngs_modulus * q); }
  [[nodiscard]] double plate() const {
    const double modulus = youngs_modulus / (1 - nu * nu);
    return (p * q - lambda * lambda) / (modulus * (q - 2 * nu * lambda + nu * nu * p));
  }
};

BendingRatios bending_ratios(const VolumeMesh& patch, const std::array<double, 3>& normal,
                             const std::array<double, 3>& along) {
  return BendingPatch(patch, normal).ratios(along);
}

TEST(BendingPatchTest, OneBrickIsAsStiffAsTheClosedFormSays) {
  for (const double nu : {0.0, 0.3, 0.45, 0.499})
    for (const auto& [length, width, height] : {std::array{1.0, 1.0, 1.0}, {10.0, 2.0, 0.5}, {0.3, 4.0, 1.0}}) {
      const Brick expected(length / 2, width / 2, height / 2, nu);
      const BendingRatios ratios = bending_ratios(brick(length, width, height, nu), z_axis, x_axis);
      EXPECT_NEAR(ratios.beam, expected.beam(), 1e-7 * expected.beam()) << nu << ' ' << length;
      EXPECT_NEAR(ratios.plate, expected.plate(), 1e-7 * expected.plate()) << nu << ' ' << length;
    }
}

// In plane stress, textbooks have 1/(1+nu) [1/(1-nu) + (a/b)^2 / 2]: the limit of no width.
TEST(BendingPatchTest, NarrowBrickIsTheTextbooksRectangle) {
  for (const double slenderness : {1.0, 4.0, 20.0}) {
    const double nu = 0.3, expected = 1 / (1 + nu) * (1 / (1 - nu) + 0.5 * slenderness * slenderness);
    EXPECT_NEAR(bending_ratios(brick(slenderness, 1e-3, 1, nu), z_axis, x_axis).beam, expected, 1e-5 * expected);
  }
}

// Other bricks in a row are bent alike. In N layers that keep their ends in one plane, each has the excess of its own
// bending, which is 1 / N^2 of all; as their ends may warp, it is a little less.
TEST(BendingPatchTest, RowsAreAsOneBrickAndLayersHaveTheSquareLess) {
  const double one = bending_ratios(brick(1, 1e-3, 1, 0), z_axis, x_axis).beam;
  EXPECT_NEAR(bending_ratios(brick(5, 1e-3, 1, 0, 1, 5), z_axis, x_axis).beam, one, 1e-6 * one);
  for (const int layers : {2, 4}) {
    const double own = bending_ratios(brick(1, 1e-3, 1.0 / layers, 0), z_axis, x_axis).beam;
    const double plane = (own - 1) / (layers * layers);
    const double excess = bending_ratios(brick(1, 1e-3, 1, 0, layers), z_axis, x_axis).beam - 1;
    EXPECT_LE(excess, plane + 1e-6);
    EXPECT_GE(excess, 0.75 * plane);
  }
}

TEST(BendingPatchTest, AnyDirectionsAndPlacesAreAlike) {
  const VolumeMesh straight = brick(3, 2, 0.7, 0.3, 2, 3);
  const double expected = bending_ratios(straight, z_axis, x_axis).beam;
  VolumeMesh turned = straight;  // x to y, y to z, z to x, far away
  for (std::size_t v = 0; v < turned.vertices.size(); v += 3) {
    const double* from = straight.vertices.data() + v;
    turned.vertices[v] = from[2] + 1000;
    turned.vertices[v + 1] = from[0] - 2000;
    turned.vertices[v + 2] = from[1] + 3000;
  }
  EXPECT_NEAR(bending_ratios(turned, x_axis, y_axis).beam, expected, 1e-6 * expected);
}

// Quadratic elements hold the exact displacement, which is quadratic.
TEST(BendingPatchTest, QuadraticElementsAreExact) {
  for (const ElementType type : {ElementType::hex8, ElementType::tet4}) {
    const VolumeMesh mesh = make_quadratic(make_box({.length = 5,
                                                     .width = 1,
                                                     .height = 0.2,
                                                     .cells_x = 3,
                                                     .cells_y = 2,
                                                     .cells_z = 1,
                                                     .type = type,
                                                     .material = {1, 0.4, 1}})
                                               .mesh);
    EXPECT_NEAR(bending_ratios(mesh, z_axis, x_axis).beam, 1, 1e-6);
    EXPECT_NEAR(bending_ratios(mesh, z_axis, y_axis).plate, 1, 1e-6);
  }
}

TEST(BendingPatchTest, PatchesAreTheElementsAsked) {
  VolumeMesh mesh = make_box({.cells_x = 4, .cells_y = 1, .cells_z = 1}).mesh;
  std::int32_t* second = mesh.blocks[0].vertices.data() + 8;
  std::swap_ranges(second, second + 4, second + 4);  // of the wrong winding
  const std::vector<std::int64_t> elements = {2, 1};
  const VolumeMesh patch = make_patch(mesh, elements, {.youngs_modulus = 1, .poissons_ratio = 0.1, .density = 1});
  EXPECT_EQ(patch.element_count(), 2);
  EXPECT_EQ(patch.vertex_count(), 12);
  const MeshReport report = check_mesh(patch);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_NEAR(report.volume, 0.5 * 0.1 * 0.1, 1e-15);
}

TEST(BendingPatchTest, FlatElementsAreRefused) {
  VolumeMesh mesh = brick(1, 1, 1, 0.3);
  for (std::size_t v = 2; v < mesh.vertices.size(); v += 3) mesh.vertices[v] = 0;
  EXPECT_THROW((void)bending_ratios(mesh, z_axis, x_axis), InputError);
}

}  // namespace
}  // namespace quartic
