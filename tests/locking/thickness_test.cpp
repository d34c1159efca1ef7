// Thickness of bodies and elements across it, where both are known.
#include "core/locking/thickness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "quartic/procedural.hpp"
#include "support/boxes.hpp"

namespace quartic {
namespace {

// A plate of 4 x 3 x 0.5 with `layers` of cells.
VolumeMesh plate(ElementType type, int layers) {
  return make_box({.length = 4, .width = 3, .height = 0.5, .cells_x = 8, .cells_y = 6, .cells_z = layers, .type = type})
      .mesh;
}

class ThicknessOfPlates : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, ThicknessOfPlates,
                         testing::Values(ElementType::hex8, ElementType::tet4, ElementType::tet10),
                         [](const auto& param) { return std::string(element_type_name(param.param)); });

TEST_P(ThicknessOfPlates, LinesMeetTheOtherSideAfterAllLayers) {
  for (const int layers : {1, 2, 5}) {
    const VolumeMesh mesh = plate(GetParam(), layers);
    const ElementNeighbours neighbours(mesh);
    const std::vector<Crossing> lines = crossings(neighbours, 1000000);
    double area = 0;
    for (const Crossing& line : lines) {
      area += line.area;
      EXPECT_TRUE(line.parallel);
      const auto axis =
          static_cast<std::size_t>(std::max_element(line.inwards.begin(), line.inwards.end(),
                                                    [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                                   line.inwards.begin());
      const double expected[] = {4, 3, 0.5}, across[] = {8, 6, 1.0 * layers};
      EXPECT_NEAR(line.thickness, expected[axis], 1e-12);
      EXPECT_NEAR(line.elements_across, across[axis], 1e-9);
      double along = 0, size = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        along += line.edge[c] * line.inwards[c];
        size += line.edge[c] * line.edge[c];
      }
      EXPECT_NEAR(along, 0, 1e-14);
      EXPECT_NEAR(size, 1, 1e-14);
    }
    EXPECT_NEAR(area, 2 * (4 * 3 + 4 * 0.5 + 3 * 0.5), 1e-12);
  }
}

TEST(ThicknessTest, FewerLinesAreSpreadOverTheBoundary) {
  const VolumeMesh mesh = plate(ElementType::hex8, 1);
  const ElementNeighbours neighbours(mesh);
  const std::vector<Crossing> lines = crossings(neighbours, 20);
  EXPECT_EQ(lines.size(), 20U);
  std::vector<std::int64_t> elements;
  for (const Crossing& line : lines) elements.push_back(line.element);
  std::sort(elements.begin(), elements.end());
  EXPECT_LT(elements.front(), 5);
  EXPECT_GT(elements.back(), 40);
}

TEST(ThicknessTest, SidesOfAWedgeArentParallel) {
  VolumeMesh mesh = plate(ElementType::hex8, 1);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) mesh.vertices[v + 2] *= 0.1 + 2 * mesh.vertices[v];
  std::size_t parallel = 0;
  const ElementNeighbours neighbours(mesh);
  const std::vector<Crossing> lines = crossings(neighbours, 1000);
  for (const Crossing& line : lines)
    if (line.inwards[2] > 0.9) parallel += line.parallel;  // from below
  EXPECT_EQ(parallel, 0U);
}

// Elements of both kinds, irregular ones, hexahedra of the wrong winding.
TEST(ThicknessTest, MixedAndInvertedMeshesAreCrossedToo) {
  for (const test::BoxCells cells : {test::BoxCells::hexes_and_wedges, test::BoxCells::wedges, test::BoxCells::tets}) {
    VolumeMesh mesh = test::make_box(cells, {4, 4, 3});
    for (double& x : mesh.vertices) x = -x;
    for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) mesh.vertices[v] *= -1;
    const ElementNeighbours neighbours(mesh);
    const std::vector<Crossing> lines = crossings(neighbours, 1000);
    EXPECT_FALSE(lines.empty());
    for (const Crossing& line : lines) {
      const double expected = std::abs(line.inwards[0]) > 0.5   ? 4 * 0.5
                              : std::abs(line.inwards[1]) > 0.5 ? 4 * 0.3
                                                                : 3 * 0.4;
      EXPECT_NEAR(line.thickness, expected, 1e-12);
      const double layers = std::abs(line.inwards[2]) > 0.5 ? 3 : 4;  // irregular elements reach over their layer
      EXPECT_GT(line.elements_across, 0.6 * layers);
      EXPECT_LT(line.elements_across, 1.1 * layers);
    }
  }
}

}  // namespace
}  // namespace quartic
