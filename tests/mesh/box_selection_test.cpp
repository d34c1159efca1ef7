// Vertices selected by a box: those that rounding put outside, those that are near, and none at all.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "quartic/error.hpp"
#include "quartic/selection.hpp"
#include "support/grids.hpp"

namespace quartic {
namespace {

using Box = std::array<double, 6>;

// Three unit cubes in a row along x, scaled to cells of 0.1: 0.1 * 3 isn't 0.3.
VolumeMesh scaled_grid() {
  VolumeMesh mesh = test::grid(3, 1, 1, false);
  for (double& x : mesh.vertices) x *= 0.1;
  return mesh;
}

TEST(BoxSelectionTest, LastBitsDoNotMatter) {
  const VolumeMesh mesh = scaled_grid();
  ASSERT_NE(mesh.vertices[9], 0.3);
  EXPECT_EQ(vertices_in_box(mesh, {0.3, 0, 0, 0.3, 0.1, 0.1}), (std::vector<std::int32_t>{3, 7, 11, 15}));
  EXPECT_TRUE(select_in_box(mesh, {0.3, 0, 0, 0.3, 0.1, 0.1}, 0.0).vertices.empty());
}

TEST(BoxSelectionTest, ToleranceIsAMillionthOfTheDiagonal) {
  VolumeMesh mesh = scaled_grid();
  const double tolerance = 1e-6 * std::sqrt(0.11);
  EXPECT_NEAR(default_selection_tolerance(mesh), tolerance, 1e-20);
  mesh.vertices.insert(mesh.vertices.end(), {1e9, 0, 0});  // in no element
  EXPECT_NEAR(default_selection_tolerance(mesh), tolerance, 1e-20);
  const Box face = {0.3 - 0.9 * tolerance, 0, 0, 0.3 - 0.9 * tolerance, 1, 1};
  EXPECT_EQ(select_in_box(mesh, face).vertices.size(), 4U);
  const Box too_far = {0.3 - 1.1 * tolerance, 0, 0, 0.3 - 1.1 * tolerance, 1, 1};
  EXPECT_TRUE(select_in_box(mesh, too_far).vertices.empty());
  EXPECT_EQ(select_in_box(mesh, too_far, 2 * tolerance).vertices.size(), 4U);
}

// The distance from the box is Euclid's: a corner may be farther than its coordinates.
TEST(BoxSelectionTest, DistanceIsThatFromTheBox) {
  const VolumeMesh mesh = scaled_grid();
  const Box point = {0.33, 0.14, 0.05, 0.33, 0.14, 0.05};
  EXPECT_TRUE(select_in_box(mesh, point, 0.0707).vertices.empty());
  EXPECT_EQ(select_in_box(mesh, point, 0.0708).vertices, (std::vector<std::int32_t>{7, 15}));  // 3, 4 and 5 cm away
  const BoxSelection selection = select_in_box(mesh, point);
  EXPECT_NEAR(selection.nearest_outside_distance, std::sqrt(0.03 * 0.03 + 0.04 * 0.04 + 0.05 * 0.05), 1e-15);
  EXPECT_EQ(selection.nearest_outside % 8, 7);
}

TEST(BoxSelectionTest, TellsWhatLiesJustOutside) {
  VolumeMesh mesh = scaled_grid();
  for (const std::size_t v : {3U, 7U}) mesh.vertices[3 * v] += 0.002;  // 2 % of an edge
  const BoxSelection selection = select_in_box(mesh, {0.3, 0, 0, 0.3, 1, 1});
  EXPECT_EQ(selection.vertices, (std::vector<std::int32_t>{11, 15}));
  EXPECT_EQ(selection.just_outside, 2);
  EXPECT_NEAR(selection.just_outside_distance, 0.002, 1e-12);
  const BoxSelection sound = select_in_box(mesh, {0.25, 0, 0, 0.31, 1, 1});
  EXPECT_EQ(sound.vertices.size(), 4U);
  EXPECT_EQ(sound.just_outside, 0);
  EXPECT_NEAR(sound.nearest_outside_distance, 0.05, 1e-12);
  const BoxSelection all = select_in_box(mesh, {-1, -1, -1, 9, 9, 9});
  EXPECT_EQ(all.vertices.size(), 16U);
  EXPECT_EQ(all.nearest_outside, -1);
  EXPECT_EQ(all.nearest_outside_distance, 0);
}

// Of a quadratic mesh, a tenth of half an edge.
TEST(BoxSelectionTest, JustOutsideGoesByTheNextVertex) {
  VolumeMesh mesh = make_quadratic(scaled_grid());
  const auto near = [&mesh](double distance) {
    return select_in_box(mesh, {0.3 + distance, 0, 0, 0.4, 1, 1}).just_outside;
  };
  EXPECT_EQ(near(0.0045), 8);
  EXPECT_EQ(near(0.0055), 0);
}

TEST(BoxSelectionTest, RefusesWhatIsNoBox) {
  const VolumeMesh mesh = scaled_grid();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)select_in_box(mesh, {0, 0, 0, 1, nan, 1}), InputError);
  EXPECT_THROW((void)select_in_box(mesh, {0, 0, 0, infinity, 1, 1}), InputError);
  for (const double tolerance : {-1e-9, nan, infinity})
    EXPECT_THROW((void)select_in_box(mesh, {0, 0, 0, 1, 1, 1}, tolerance), InputError);
  EXPECT_TRUE(select_in_box({}, {0, 0, 0, 1, 1, 1}).vertices.empty());
}

}  // namespace
}  // namespace quartic
