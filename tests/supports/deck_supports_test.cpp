// Supports, equations, masses and springs as Abaqus decks have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/fem.hpp"
#include "quartic/mesh.hpp"
#include "quartic/model.hpp"
#include "quartic/modes.hpp"
#include "support/mesh_reading.hpp"
#include "support/support.hpp"

namespace {

using namespace quartic;
using test::cube_deck;
using test::joined;

using Numbers = std::vector<double>;

// Vertex and factors of each term, in a row.
template <class Equation>
Numbers numbers_of(const Equation& equation) {
  Numbers numbers;
  for (const DisplacementTerm& term : equation.terms) {
    numbers.push_back(term.vertex);
    numbers.insert(numbers.end(), term.factors.begin(), term.factors.end());
  }
  return numbers;
}

void expect_near(const Numbers& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
}

class DeckSupports : public test::AbaqusReading {
 protected:
  [[nodiscard]] VolumeMesh cube_with(const std::string& lines) const {
    VolumeMesh mesh = read(cube_deck + lines);
    EXPECT_TRUE(mesh.warnings.empty()) << joined(mesh.warnings);
    return mesh;
  }
};

TEST_F(DeckSupports, ARangeOfDirectionsRunsUpwards) {
  try {
    (void)read(cube_deck + "*BOUNDARY\nFLOOR, 3, 1\n");
    ADD_FAILURE() << "read";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("the last direction, 1, comes before the first, 3"), std::string::npos)
        << error.what();
  }
}

// A node of no element holds nothing.
TEST_F(DeckSupports, OfNoElementAreRefused) {
  const VolumeMesh mesh = cube_with("*NODE\n9, 5., 5., 5.\n");
  EXPECT_THROW((void)reduce(mesh, std::vector<std::int32_t>{8}, {.modes = 2, .rank = 2}), InputError);
  EXPECT_NO_THROW((void)reduce(mesh, std::vector<std::int32_t>{0, 1, 2, 8}, {.modes = 2, .rank = 2}));
}

TEST_F(DeckSupports, HoldWholeNodesAndSingleDirections) {
  const VolumeMesh mesh = cube_with("*BOUNDARY\nFLOOR, ENCASTRE\nTOP, YSYMM\n5, 3\n6, 2, 3\n7, 1, 2\n7, 3\n");
  EXPECT_EQ(mesh.vertex_sets.at("boundary"), (std::vector<std::int32_t>{0, 1, 2, 3, 6}));
  const std::vector<Constraint>& held = mesh.support_sets.at("boundary");
  ASSERT_EQ(held.size(), 5U);
  expect_near(numbers_of(held[0]), {4, 0, 1, 0});
  expect_near(numbers_of(held[1]), {4, 0, 0, 1});
  expect_near(numbers_of(held[2]), {5, 0, 1, 0});
  expect_near(numbers_of(held[3]), {5, 0, 0, 1});
  expect_near(numbers_of(held[4]), {7, 0, 1, 0});
}

TEST_F(DeckSupports, KnowSymmetryByName) {
  const auto directions = [&](const std::string& name) {
    Numbers axes;
    const VolumeMesh mesh = cube_with("*BOUNDARY\n1, " + name + "\n");
    for (const Constraint& held : mesh.support_sets.at("boundary"))
      for (std::size_t c = 0; c < 3; ++c)
        if (held.terms.front().factors[c] != 0) axes.push_back(static_cast<double>(c));
    return axes;
  };
  EXPECT_EQ(directions("XSYMM"), Numbers{0});
  EXPECT_EQ(directions("ZSYMM"), Numbers{2});
  EXPECT_EQ(directions("XASYMM"), (Numbers{1, 2}));
  EXPECT_EQ(directions("ZASYMM"), (Numbers{0, 1}));
}

TEST_F(DeckSupports, TurnWithTheirNodes) {
  const double half = std::sqrt(0.5);
  const VolumeMesh plane = cube_with("*TRANSFORM, NSET=TOP\n1., 1., 0., -1., 1., 0.\n*BOUNDARY\nTOP, 1\n1, 1\n");
  const auto& held = plane.support_sets.at("boundary");
  expect_near(numbers_of(held[0]), {0, 1, 0, 0});
  expect_near(numbers_of(held[1]), {4, half, half, 0});
  // About the line x = 0.5, y = 0.5: radial, around, along.
  const std::string lines = "*TRANSFORM, NSET=TOP, TYPE=C\n0.5, 0.5, 0., 0.5, 0.5, 1.\n*BOUNDARY\n";
  expect_near(numbers_of(cube_with(lines + "5, 1\n").support_sets.at("boundary")[0]), {4, -half, -half, 0});
  expect_near(numbers_of(cube_with(lines + "5, 2\n").support_sets.at("boundary")[0]), {4, half, -half, 0});
  expect_near(numbers_of(cube_with(lines + "5, 3\n").support_sets.at("boundary")[0]), {4, 0, 0, 1});
  const std::string sphere = "*TRANSFORM, NSET=TOP, TYPE=S\n0.5, 0.5, 0.5, 0.5, 0.5, 1.\n*BOUNDARY\n7, 1\n";
  const double third = std::sqrt(1.0 / 3);
  expect_near(numbers_of(cube_with(sphere).support_sets.at("boundary")[0]), {6, third, third, third});
  // All three directions of a turned frame are the whole node.
  EXPECT_EQ(cube_with(lines + "TOP, 1, 3\n").vertex_sets.at("boundary").size(), 4U);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*TRANSFORM, NSET=TOP\n1., 0., 0., 2., 0., 0.\n")), ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*TRANSFORM, NSET=TOP, TYPE=C\n0., 0., 0., 0., 0., 1.\n")),
               ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*TRANSFORM, NSET=NONE\n1., 0., 0., 0., 1., 0.\n")), ParseError);
}

TEST_F(DeckSupports, JoinByEquations) {
  const VolumeMesh mesh = cube_with(R"(*EQUATION
3
5, 1, 1., 6, 1, -0.5, 7, 2, -0.5
2
TOP, 3, 1., FLOOR, 3, -1.
2
8, 1, 2.
1, 2, -3.
)");
  ASSERT_EQ(mesh.joints.size(), 6U);
  expect_near(numbers_of(mesh.joints[0]), {4, 1, 0, 0, 5, -0.5, 0, 0, 6, 0, -0.5, 0});
  for (std::size_t i = 0; i < 4; ++i)
    expect_near(numbers_of(mesh.joints[1 + i]),
                {4.0 + static_cast<double>(i), 0, 0, 1, static_cast<double>(i), 0, 0, -1});
  expect_near(numbers_of(mesh.joints[5]), {7, 2, 0, 0, 0, 0, -3, 0});
  EXPECT_NE(mesh.joints[0].origin.find("*EQUATION at "), std::string::npos);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*EQUATION\n3\n5, 1, 1., 6, 1, -1.\n")), ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*EQUATION\nx\n5, 1, 1., 6, 1, -1.\n")), ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*EQUATION\n2\n5, 0, 1., 6, 1, -1.\n")), ParseError);
  EXPECT_THROW(static_cast<void>(read(cube_deck + "*NSET, NSET=TWO\n1, 2\n*EQUATION\n2\nTOP, 1, 1., TWO, 1, -1.\n")),
               ParseError);
  const VolumeMesh turned = read(cube_deck + "*EQUATION\n2\n5, 4, 1., 6, 1, -1.\n");
  EXPECT_TRUE(turned.joints.empty());
  EXPECT_TRUE(test::has_warning(turned, {"line 23, *EQUATION: it is about rotations"})) << joined(turned.warnings);
}

// A second cube on the first one, of nodes of its own.
const std::string second_cube = R"(*NODE
11, 0., 0., 1.
12, 1., 0., 1.
13, 1., 1., 1.
14, 0., 1., 1.
15, 0., 0., 2.
16, 1., 0., 2.
17, 1., 1., 2.
18, 0., 1., 2.
*ELEMENT, TYPE=C3D8, ELSET=ALL
2, 11, 12, 13, 14, 15, 16, 17, 18
*ELSET, ELSET=LOWER
1
*ELSET, ELSET=UPPER
2
*SURFACE, NAME=BELOW, TYPE=ELEMENT
LOWER, S2
*SURFACE, NAME=ABOVE
2, S1
)";

TEST_F(DeckSupports, TieSurfaces) {
  const VolumeMesh mesh = cube_with(second_cube + "*TIE, NAME=WELD\nABOVE, BELOW\n");
  ASSERT_EQ(mesh.joints.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    const double follower = 8 + static_cast<double>(i / 3), leader = 4 + static_cast<double>(i / 3);
    Numbers expected = {follower, 0, 0, 0, leader, 0, 0, 0};
    expected[1 + i % 3] = 1;
    expected[5 + i % 3] = -1;
    expect_near(numbers_of(mesh.joints[i]), expected);
    EXPECT_EQ(mesh.joints[i].origin, "*TIE WELD");
  }
  VolumeMesh welded = mesh;
  welded.joints.clear();
  EXPECT_EQ(weld_vertices(welded, 1e-9), 4);
  EXPECT_EQ(rigid_modes(mesh, mass_matrix(mesh), {}).cols, 6);
  const std::string apart = test::replaced(second_cube, "14, 0., 1., 1.\n", "14, 0., 1., 1.2\n");
  const VolumeMesh gap = read(cube_deck + apart + "*TIE, NAME=WELD\nABOVE, BELOW\n");
  EXPECT_TRUE(gap.joints.empty());
  EXPECT_TRUE(
      test::has_warning(gap, {"*TIE: what it joins moves on its own, since *TIE WELD: vertex 11 is 0.2 m from"}))
      << joined(gap.warnings);
  EXPECT_EQ(read(cube_deck + apart + "*TIE, NAME=WELD, POSITION TOLERANCE=0.3\nABOVE, BELOW\n").joints.size(), 12U);
  EXPECT_THROW(static_cast<void>(read(cube_deck + second_cube + "*SURFACE, NAME=NO\n1, S7\n*TIE\nNO, BELOW\n")),
               ParseError);
}

TEST_F(DeckSupports, HangMassesOnNodes) {
  const VolumeMesh mesh = cube_with(
      "*ELEMENT, TYPE=MASS, ELSET=TWO\n11, 5\n12, 6\n*ELEMENT, TYPE=MASS, ELSET=ONE\n13, 5\n*MASS, ELSET=TWO\n"
      "0.25\n*MASS, ELSET=one\n1.5\n");
  ASSERT_EQ(mesh.masses.size(), 3U);
  EXPECT_EQ(mesh.masses[0].vertex, 4);
  EXPECT_EQ(mesh.masses[0].mass, 0.25);
  EXPECT_EQ(mesh.masses[1].vertex, 5);
  EXPECT_EQ(mesh.masses[2].vertex, 4);
  EXPECT_EQ(mesh.masses[2].mass, 1.5);
}

// An element has one property, the last that it is given, and that is told; two elements at a node add up.
TEST_F(DeckSupports, TakeTheLastPropertyOfAnElement) {
  const VolumeMesh masses =
      read(cube_deck + "*ELEMENT, TYPE=MASS, ELSET=M\n11, 5\n12, 5\n*MASS, ELSET=M\n1.\n*MASS, ELSET=M\n2.\n");
  ASSERT_EQ(masses.masses.size(), 2U);
  EXPECT_EQ(masses.masses[0].mass + masses.masses[1].mass, 4);
  EXPECT_TRUE(test::has_warning(masses, {"*MASS (2 times): elements that it names are given another one further down"}))
      << joined(masses.warnings);
  const VolumeMesh springs =
      read(cube_deck + "*ELEMENT, TYPE=SPRING1, ELSET=S\n11, 5\n*SPRING, ELSET=S\n1\n10.\n*SPRING, ELSET=S\n2\n30.\n");
  ASSERT_EQ(springs.springs.size(), 1U);
  EXPECT_EQ(springs.springs[0].stiffness, 30);
  expect_near(numbers_of(springs.springs[0]), {4, 0, 1, 0});
  EXPECT_TRUE(test::has_warning(springs, {"*SPRING: elements that it names are given another one further down"}));
}

TEST_F(DeckSupports, HangSpringsOnNodes) {
  const VolumeMesh mesh = cube_with(R"(*ELEMENT, TYPE=SPRINGA, ELSET=A
11, 1, 7
*SPRING, ELSET=A

100.
*ELEMENT, TYPE=SPRING1, ELSET=B
12, 5
*SPRING, ELSET=B
3
200.
*ELEMENT, TYPE=SPRING2, ELSET=C
13, 5, 6
*SPRING, ELSET=C
1, 2
300.
)");
  ASSERT_EQ(mesh.springs.size(), 3U);
  const double third = std::sqrt(1.0 / 3);
  expect_near(numbers_of(mesh.springs[0]), {6, third, third, third, 0, -third, -third, -third});
  expect_near(numbers_of(mesh.springs[1]), {4, 0, 0, 1});
  expect_near(numbers_of(mesh.springs[2]), {4, 1, 0, 0, 5, 0, -1, 0});
  EXPECT_EQ(mesh.springs[0].stiffness, 100);
  EXPECT_EQ(mesh.springs[1].stiffness, 200);
  EXPECT_EQ(mesh.springs[2].stiffness, 300);
  EXPECT_THROW(
      static_cast<void>(read(cube_deck + "*ELEMENT, TYPE=SPRING1, ELSET=B\n12, 5\n*SPRING, ELSET=B\n3\n-2.\n")),
      ParseError);
}

TEST_F(DeckSupports, LeaveOutSpringsThatArentOneStiffnessAlongAxes) {
  const auto expect_left_out = [&](const std::string& spring) {
    const VolumeMesh mesh = read(
        cube_deck + "*ELEMENT, TYPE=SPRINGA, ELSET=A\n11, 1, 7\n*ELEMENT, TYPE=SPRING1, ELSET=B\n12, 5\n" + spring);
    EXPECT_TRUE(mesh.springs.empty()) << spring;
    EXPECT_TRUE(std::ranges::any_of(mesh.warnings, [](const std::string& text) {
      return text.find("its stiffness is missing") != std::string::npos;
    })) << spring;
  };
  expect_left_out("*SPRING, ELSET=A\n\n100., , 20.\n200., , 100.\n");
  expect_left_out("*SPRING, ELSET=A\n1\n2\n");
  expect_left_out("*SPRING, ELSET=B, ORIENTATION=O\n3\n200.\n");
  expect_left_out("*SPRING, ELSET=B, COMPLEX STIFFNESS=IMAGINARY\n3\n200.\n");
  expect_left_out("*SPRING, ELSET=B, DEPENDENCIES=1\n3\n200.\n");
  expect_left_out("*SPRING, ELSET=B, NONLINEAR\n3\n0., 0.\n");
}

// ---- reference data: values of an independent program ---------------------------------------------------------------

void expect_frequencies(const LinearModes& modes, const Numbers& expected, double relative) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(std::sqrt(modes.eigenvalues[i]) / (2 * std::numbers::pi) / expected[i], 1, relative) << i;
}

TEST(DeckSupportsData, HalfBeamBySymmetryHasThePublishedFrequencies) {
  QUARTIC_NEED_DATA(folder, "turn2");
  const VolumeMesh mesh = read_mesh(folder / "t01_half_ysymm.inp");
  const Supports supports(mesh.vertex_sets.at("boundary"), mesh.support_sets.at("boundary"));
  // Nine digits are given, of the same elements and points.
  expect_frequencies(linear_modes(ElasticSystem(mesh, supports), {.count = 4}),
                     {83.720919, 502.600285, 1298.90664, 1325.79459}, 1e-8);
}

TEST(DeckSupportsData, CantileverWithATipMassHasThePublishedFrequencies) {
  QUARTIC_NEED_DATA(folder, "turn2");
  const VolumeMesh mesh = read_mesh(folder / "t21_tip_mass.inp");
  expect_frequencies(linear_modes(ElasticSystem(mesh, mesh.vertex_sets.at("boundary")), {.count = 6}),
                     {189.07559, 189.07559, 1875.80449, 1875.80449, 3280.64452, 3726.41025}, 2e-8);
}

}  // namespace
