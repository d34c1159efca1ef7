// The estimate of locking against what it is about: frequencies of linear elements over those of quadratic ones on the
// same grid.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "quartic/element_quality.hpp"
#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "support/grids.hpp"

namespace quartic {
namespace {

double lowest_frequency(const VolumeMesh& mesh, double clamped = 0) {
  const auto fixed = vertices_in_box(mesh, {clamped, -1e3, -1e3, clamped, 1e3, 1e3});
  return std::sqrt(reduce(mesh, fixed, {.modes = 1, .energy = false}).eigenvalues.at(0));
}

struct Cantilever {
  const char* name;
  BoxOptions box;
  double below, above;  // the estimate may be so much of the measured ratio, at least and at most
};

std::ostream& operator<<(std::ostream& out, const Cantilever& cantilever) {
  return out << cantilever.name;
}

Material rubber(double nu) {
  return {.youngs_modulus = 1e5, .poissons_ratio = nu, .density = 1000};
}

class Cantilevers : public testing::TestWithParam<Cantilever> {};
// Slender bodies and plates, whose lowest mode is bending along one axis, are within a tenth; near incompressible ones
// within 15 %, since how far they contract sideways makes more of a difference.
INSTANTIATE_TEST_SUITE_P(
    Bodies, Cantilevers,
    testing::Values(
        Cantilever{"plate_hex8", {10, 10, 0.25, 8, 8, 1, ElementType::hex8, rubber(0.3)}, 0.9, 1.1},
        Cantilever{"beam_hex8", {10, 1, 1, 10, 2, 2, ElementType::hex8, rubber(0.3)}, 0.9, 1.1},
        Cantilever{"coarse_beam_hex8", {12, 1, 1, 6, 1, 1, ElementType::hex8, rubber(0.3)}, 0.9, 1.1},
        Cantilever{"incompressible_hex8", {0.4, 0.1, 0.1, 12, 3, 3, ElementType::hex8, rubber(0.499)}, 0.85, 1.15},
        Cantilever{"beam_tet4", {10, 1, 1, 20, 2, 2, ElementType::tet4, rubber(0.3)}, 0.9, 1.1},
        Cantilever{"plate_tet4", {10, 10, 0.5, 8, 8, 1, ElementType::tet4, rubber(0.3)}, 0.9, 1.1},
        Cantilever{"incompressible_tet4", {0.4, 0.1, 0.1, 12, 3, 3, ElementType::tet4, rubber(0.499)}, 0.9, 1.1}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_P(Cantilevers, FrequenciesAreAsFarOffAsEstimated) {
  const VolumeMesh mesh = make_box(GetParam().box).mesh;
  const LockingEstimate estimate = estimate_locking(mesh);
  const double measured = lowest_frequency(mesh) / lowest_frequency(make_quadratic(mesh));
  EXPECT_GT(estimate.frequency_ratio, GetParam().below * measured) << measured;
  EXPECT_LT(estimate.frequency_ratio, GetParam().above * measured) << measured;
  EXPECT_DOUBLE_EQ(estimate.frequency_ratio, std::sqrt(estimate.stiffness_ratio));
  EXPECT_NEAR(estimate.thickness, GetParam().box.height, 1e-12);
  EXPECT_NEAR(estimate.elements_across, GetParam().box.cells_z, 1e-9);
  EXPECT_EQ(estimate.poissons_ratio, GetParam().box.material.poissons_ratio);
  const auto hints = locking_hints(estimate, "do something");
  ASSERT_EQ(hints.size(), 1U);
  EXPECT_NE(hints[0].find("linear elements are too stiff"), std::string::npos);
  EXPECT_TRUE(hints[0].ends_with("; do something")) << hints[0];
}

TEST(LockingTest, QuadraticElementsAndFineMeshesGetNoHint) {
  const VolumeMesh coarse = make_box({10, 10, 0.25, 4, 4, 1, ElementType::hex8, rubber(0.3)}).mesh;
  const LockingEstimate quadratic = estimate_locking(make_quadratic(coarse));
  EXPECT_EQ(quadratic.element, -1);
  EXPECT_EQ(quadratic.stiffness_ratio, 1);
  EXPECT_TRUE(locking_hints(quadratic).empty());
  const LockingEstimate fine = estimate_locking(make_box({10, 2, 2, 30, 6, 6, ElementType::hex8, rubber(0.3)}).mesh);
  EXPECT_GT(fine.stiffness_ratio, 1);
  EXPECT_LT(fine.frequency_ratio, 1.05);
  EXPECT_TRUE(locking_hints(fine).empty());
}

// A block of which the patch is a part: the excess falls with the square of the number of elements.
TEST(LockingTest, LargeBodiesAreMeasuredByAPart) {
  const auto excess = [](int cells) {
    return estimate_locking(make_box({6, 6, 6, cells, cells, cells, ElementType::hex8, rubber(0.3)}).mesh)
               .stiffness_ratio -
           1;
  };
  const double coarse = excess(4), fine = excess(16);
  EXPECT_NEAR(coarse / fine, 16, 5);
}

// The place that locks, not the mean of all; corners and small parts are passed over.
TEST(LockingTest, TheWorstPartIsNamed) {
  VolumeMesh mesh = make_box({4, 4, 4, 8, 8, 8, ElementType::hex8, rubber(0.3)}).mesh;
  const auto first_vertex = static_cast<std::int32_t>(mesh.vertex_count());
  const std::int64_t first_element = mesh.element_count();
  const VolumeMesh plate = make_box({10, 10, 0.2, 8, 8, 1, ElementType::hex8, rubber(0.3)}).mesh;
  for (std::size_t i = 0; i < plate.vertices.size(); ++i)
    mesh.vertices.push_back(plate.vertices[i] + (i % 3 == 2 ? 100 : 0));
  for (const std::int32_t v : plate.blocks[0].vertices) mesh.blocks[0].vertices.push_back(first_vertex + v);
  mesh.element_region.resize(static_cast<std::size_t>(mesh.element_count()), 0);
  const LockingEstimate estimate = estimate_locking(mesh);
  EXPECT_GE(estimate.element, first_element);
  EXPECT_NEAR(estimate.thickness, 0.2, 1e-12);
  EXPECT_NEAR(estimate.stiffness_ratio, estimate_locking(plate).stiffness_ratio, 1e-6);
}

TEST(LockingTest, MaterialsMayBeMissingAndElementsInverted) {
  VolumeMesh mesh = make_box({10, 10, 0.25, 8, 8, 1, ElementType::hex8, rubber(0.3)}).mesh;
  const LockingEstimate expected = estimate_locking(mesh);
  mesh.regions[0].material.reset();
  EXPECT_NEAR(estimate_locking(mesh).stiffness_ratio, expected.stiffness_ratio, 1e-9);
  mesh.element_region.clear();
  for (double& x : mesh.vertices) x = -x;
  const LockingEstimate inverted = estimate_locking(mesh);
  EXPECT_EQ(inverted.poissons_ratio, 0.3);
  EXPECT_NEAR(inverted.stiffness_ratio, expected.stiffness_ratio, 0.05 * expected.stiffness_ratio);
}

TEST(LockingTest, NothingIsMeasuredOfWhatCannotBe) {
  EXPECT_EQ(estimate_locking({}).element, -1);
  VolumeMesh flat = test::grid(3, 3, 1, false);
  for (std::size_t v = 2; v < flat.vertices.size(); v += 3) flat.vertices[v] = 0;
  EXPECT_TRUE(locking_hints(estimate_locking(flat)).empty());
  VolumeMesh broken = test::grid(1, 1, 1, false);
  broken.blocks[0].vertices[3] = 99;
  EXPECT_THROW((void)estimate_locking(broken), InputError);
  VolumeMesh pyramid;
  pyramid.vertices = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
  pyramid.blocks = {{ElementType::pyramid5, {0, 1, 2, 3, 4}}};
  EXPECT_EQ(estimate_locking(pyramid).element, -1);
}

}  // namespace
}  // namespace quartic
