// Loads of Abaqus and CalculiX decks.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/loads.hpp"
#include "quartic/mesh.hpp"
#include "quartic/statics.hpp"
#include "support/mesh_reading.hpp"
#include "supports/supported_boxes.hpp"

namespace {

using Eigen::Vector3d;
using namespace quartic;
using test::cube_deck;
using test::joined;

Vector3d vector_of(const std::array<double, 3>& x) {
  return Vector3d::Map(x.data());
}

class DeckLoads : public test::AbaqusReading {
 protected:
  struct Loaded {
    VolumeMesh mesh;
    Loads loads;
    std::string told;

    [[nodiscard]] LoadTotals totals() const {
      return load_totals(mesh, force_vector(loads.forces, mesh.vertex_count()));
    }
  };
  [[nodiscard]] Loaded loaded(const std::string& deck) const {
    const std::filesystem::path file = folder_ / "loaded.inp";
    std::filesystem::remove(file);
    std::ofstream(file) << deck;
    Loaded result{read_mesh(file), {}, {}};
    EXPECT_TRUE(result.mesh.warnings.empty()) << joined(result.mesh.warnings);
    std::vector<std::string> warnings;
    result.loads = read_loads(file, result.mesh, warnings);
    result.told = joined(warnings);
    return result;
  }
  /// A cube with these lines in its first step, of which nothing is left out.
  [[nodiscard]] Loaded cube_with(const std::string& lines, const std::string& before = "") const {
    Loaded result = loaded(cube_deck + before + "*STEP\n*STATIC\n" + lines + "*END STEP\n");
    EXPECT_EQ(result.told, "");
    return result;
  }
  [[nodiscard]] std::string told_of(const std::string& lines) const {
    return loaded(cube_deck + "*STEP\n*STATIC\n" + lines + "*END STEP\n").told;
  }

  test::TemporaryFolder folder_;
};

TEST_F(DeckLoads, ForcesAreThoseOfNodesAndSets) {
  const Loaded cube = cube_with("*CLOAD\n5, 3, -1.5\nFLOOR, 1, 2.\n5, 3, -0.5\n");
  EXPECT_LE((vector_of(cube.totals().force) - Vector3d(8, 0, -2)).norm(), 1e-14);
  EXPECT_EQ(cube.loads.gravity, (std::array<double, 3>{}));
  EXPECT_EQ(force_vector(cube.loads.forces, 8)[14], -2);
}

TEST_F(DeckLoads, ForcesAreInLocalDirections) {
  const Loaded cube = cube_with("*CLOAD\n5, 1, 10.\n",
                                "*NSET, NSET=TURNED\n5\n*TRANSFORM, NSET=TURNED\n"
                                "0.6, 0.8, 0., -0.8, 0.6, 0.\n");
  EXPECT_LE((vector_of(cube.totals().force) - Vector3d(6, 8, 0)).norm(), 1e-14);
}

// By virtual work on the nodes that a reference node moves with: the same force, and the same moment about it.
TEST_F(DeckLoads, ReferenceNodesPassForcesAndMomentsOn) {
  for (const char* link : {"*RIGID BODY, NSET=TOP, REF NODE=9\n",
                           "*SURFACE, NAME=LID, TYPE=NODE\nTOP\n*COUPLING, REF NODE=9, SURFACE=LID, "
                           "CONSTRAINT NAME=C\n*DISTRIBUTING\n"}) {
    const Loaded cube =
        cube_with("*CLOAD\n9, 1, 10.\n9, 6, 5.\n9, 2, -3.\n", std::string("*NODE\n9, 0.2, 0.4, 3.\n") + link);
    const LoadTotals totals =
        load_totals(cube.mesh, force_vector(cube.loads.forces, cube.mesh.vertex_count()), {0.2, 0.4, 3});
    EXPECT_LE((vector_of(totals.force) - Vector3d(10, -3, 0)).norm(), 1e-12) << link;
    EXPECT_LE((vector_of(totals.moment) - Vector3d(0, 0, 5)).norm(), 1e-12) << link;
  }
}

TEST_F(DeckLoads, GravityIsThatOfTheWholeBody) {
  const Loaded cube = cube_with("*DLOAD\nALL, GRAV, 9.81, 0., 0., -2.\n");
  EXPECT_TRUE(cube.loads.forces.empty());
  EXPECT_LE((vector_of(cube.loads.gravity) - Vector3d(0, 0, -9.81)).norm(), 1e-14);
}

// Two sets that are the whole together, with nothing twice; one of them alone isn't.
TEST_F(DeckLoads, GravityOfAllPartsIsThatOfTheWholeBody) {
  const std::string two =
      "*NODE\n11, 2., 0., 0.\n12, 2., 1., 0.\n13, 2., 0., 1.\n14, 2., 1., 1.\n"
      "*ELEMENT, TYPE=C3D8, ELSET=SIDE\n2, 2, 11, 12, 3, 6, 13, 14, 7\n*SOLID SECTION, ELSET=SIDE, MATERIAL=GEL\n";
  const Loaded both = cube_with("*DLOAD\nALL, GRAV, 9.81, 0., 0., -1.\nSIDE, GRAV, 9.81, 0., 0., -2.\n", two);
  EXPECT_LE((vector_of(both.loads.gravity) - Vector3d(0, 0, -9.81)).norm(), 1e-14);
  const Loaded one = loaded(cube_deck + two + "*STEP\n*STATIC\n*DLOAD\nALL, GRAV, 9.81, 0., 0., -1.\n*END STEP\n");
  EXPECT_EQ(one.loads.gravity, (std::array<double, 3>{}));
  EXPECT_NE(one.told.find("gravity of a part of the body alone doesn't act here"), std::string::npos) << one.told;
}

// Nodes are warmer by the step's temperature less that of the start; regions expand as their materials.
TEST_F(DeckLoads, TemperaturesAreThoseOfTheStepLessTheInitialOnes) {
  const std::string expansion = "*MATERIAL, NAME=WARM\n*DENSITY\n1.\n*EXPANSION, ZERO=20.\n3e-5\n*ELASTIC\n1., 0.\n";
  const std::string deck = test::replaced(cube_deck, "MATERIAL=GEL", "MATERIAL=WARM") + expansion +
                           "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nFLOOR, 10.\nTOP, 15.\n" +
                           "*STEP\n*STATIC\n*TEMPERATURE\nTOP, 100.\n3, 40.\n*END STEP\n";
  const Loaded cube = loaded(deck);
  EXPECT_EQ(cube.told, "");
  EXPECT_EQ(cube.loads.heating.temperature, (std::vector<double>{0, 0, 30, 0, 85, 85, 85, 85}));
  EXPECT_EQ(cube.loads.heating.expansion, std::vector<double>{3e-5});
  const Loaded cold = loaded(test::replaced(deck, "TOP, 100.\n3, 40.", "TOP, 15."));
  EXPECT_TRUE(cold.loads.empty() && cold.told.empty());
  const Loaded table = loaded(test::replaced(deck, "3e-5\n", "3e-5, 20.\n4e-5, 100.\n"));
  EXPECT_EQ(table.loads.heating.expansion, std::vector<double>{3e-5});
  EXPECT_NE(table.told.find("depends on temperature or a field; its first row is taken"), std::string::npos);
  const Loaded skew = loaded(test::replaced(deck, "ZERO=20.", "TYPE=ORTHO"));
  EXPECT_NE(skew.told.find("only one coefficient for all directions"), std::string::npos) << skew.told;
  EXPECT_TRUE(skew.loads.heating.empty());
}

// The deck's heat is what thermal.hpp takes: a free cube becomes larger by sqrt(1 + 2 alpha T).
TEST_F(DeckLoads, HeatOfDecksExpandsABody) {
  const Loaded cube = loaded(test::replaced(cube_deck, "*ELASTIC\n", "*EXPANSION\n1e-3\n*ELASTIC\n") +
                             "*NSET, NSET=EACH\nFLOOR, TOP\n*STEP\n*STATIC\n*TEMPERATURE\nEACH, 50.\n*END STEP\n");
  Supports slides;
  for (const int axis : {0, 1, 2}) {
    std::array<double, 3> normal{};
    normal[static_cast<std::size_t>(axis)] = 1;
    test::append(slides.constraints, hold_along(test::plane(cube.mesh, axis, 0), normal));
  }
  const Equilibrium warm =
      StaticSolver(cube.mesh, slides, {.heating = cube.loads.heating}).solve(std::vector<double>(24));
  ASSERT_TRUE(warm.converged);
  for (std::size_t i = 0; i < 24; ++i)
    EXPECT_NEAR(warm.solution[i], (std::sqrt(1.1) - 1) * cube.mesh.vertices[i], 1e-10);
}

// A body that has lost a node of no element takes the loads of its deck; another one doesn't.
TEST_F(DeckLoads, LoadsAreOfTheBodysOwnNodes) {
  const std::string deck = "*NODE\n99, 9., 9., 9.\n" + cube_deck + "*STEP\n*STATIC\n*CLOAD\n8, 2, 3.\n*END STEP\n";
  const std::filesystem::path file = folder_ / "extra.inp";
  std::ofstream(file) << deck;
  VolumeMesh mesh = read_mesh(file);
  ASSERT_EQ(mesh.vertex_count(), 9);
  static_cast<void>(drop_unreferenced_vertices(mesh));
  std::vector<std::string> warnings;
  const Loads loads = read_loads(file, mesh, warnings);
  ASSERT_EQ(loads.forces.size(), 1);
  EXPECT_EQ(test::position(mesh, loads.forces.front().vertex), Vector3d(0, 1, 1));
  mesh.vertices[0] += 1e-3;
  EXPECT_THROW(static_cast<void>(read_loads(file, mesh, warnings)), InputError);
  std::ofstream(folder_ / "other.txt") << "vertices";
  EXPECT_THROW(static_cast<void>(read_loads(folder_ / "other.txt", mesh, warnings)), ParseError);
}

// Outward areas of the faces that decks call P1, P2, ..., by hand, of one element of each shape.
struct ElementFaces {
  const char* type;
  const char* element;
  std::vector<Vector3d> areas;
};

TEST_F(DeckLoads, PressuresActOnTheFacesOfTheirNumbers) {
  const std::string nodes = R"(*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
)";
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const ElementFaces cases[] = {{"C3D8", "1, 2, 3, 4, 5, 6, 7, 8", {-z, z, -y, x, y, -x}},
                                {"C3D6", "1, 2, 4, 5, 6, 8", {-0.5 * z, 0.5 * z, -y, x + y, -x}},
                                {"C3D4", "1, 2, 4, 5", {-0.5 * z, -0.5 * y, 0.5 * (x + y + z), -0.5 * x}},
                                {"C3D4", "2, 1, 4, 5", {-0.5 * z, -0.5 * y, -0.5 * x, 0.5 * (x + y + z)}}};  // inverted
  for (const ElementFaces& c : cases)
    for (std::size_t f = 0; f < c.areas.size(); ++f) {
      const std::string number = std::to_string(f + 1);
      const std::string element = std::string("*ELEMENT, TYPE=") + c.type + ", ELSET=E\n1, " + c.element + "\n";
      const Loaded pressed = loaded(nodes + element + "*STEP\n*STATIC\n*DLOAD\nE, P" + number + ", 3.\n*END STEP\n");
      EXPECT_LE((vector_of(pressed.totals().force) + 3 * c.areas[f]).norm(), 1e-14) << c.type << f;
      const Loaded surface = loaded(nodes + element + "*SURFACE, NAME=S\n1, S" + number +
                                    "\n*STEP\n*STATIC\n*DSLOAD\nS, P, 3.\n*END STEP\n");
      EXPECT_LE((vector_of(surface.totals().force) + 3 * c.areas[f]).norm(), 1e-14) << c.type << f;
    }
}

TEST_F(DeckLoads, SurfacesWithoutFacesAreTheBoundary) {
  const Loaded pressed = cube_with("*DSLOAD\nSKIN, P, 7.\n", "*SURFACE, NAME=SKIN\nALL,\n");
  std::vector<std::int32_t> all;
  for (std::int32_t v = 0; v < 8; ++v) all.push_back(v);
  const std::vector<double> expected = force_vector(pressure_forces(pressed.mesh, all, 7), 8);
  const std::vector<double> found = force_vector(pressed.loads.forces, 8);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-14);
  const Loaded pulled = cube_with("*DSLOAD\nSKIN, TRVEC, 5., 0., 2., 0.\n", "*SURFACE, NAME=SKIN\nALL,\n");
  EXPECT_LE((vector_of(pulled.totals().force) - 5 * face_area(pulled.mesh, all) * Vector3d::UnitY()).norm(), 1e-13);
}

TEST_F(DeckLoads, WhatIsntUnderstoodIsToldWithItsLine) {
  const auto expect = [&](const std::string& lines, const std::string& part) {
    EXPECT_NE(told_of(lines).find(part), std::string::npos) << told_of(lines) << "\nlacks: " << part;
  };
  expect("*CLOAD\n5, 4, 1.\n", "*CLOAD 4: it is a moment");
  expect("*CLOAD, AMPLITUDE=A\n5, 3, 1.\n", "*CLOAD with AMPLITUDE: its amplitude over time isn't used");
  expect("*CLOAD\nNOWHERE, 3, 1.\n", "NOWHERE");
  expect("*CLOAD\n5, 3, x\n", "*CLOAD 3: it doesn't act");
  expect("*DLOAD\nALL, BX, 1.\n", "*DLOAD BX: it doesn't act");
  expect("*DLOAD\n999, P1, 1.\n", "*DLOAD P1: there are no elements 999");
  expect("*DLOAD\nNOWHERE, P1, 1.\n", "*DLOAD P1: there are no elements NOWHERE");
  expect("*DLOAD\nALL, P9, 1.\n", "*DLOAD P9: there are no such faces");
  expect("*DLOAD\nALL, GRAV, 9.81, 0., 0., 0.\n", "its direction is zero");
  expect("*DSLOAD\nNOTHING, P, 1.\n", "*DSLOAD P: its surface has no faces");
  expect("*TEMPERATURE\nFLOOR, 300.\n", "*TEMPERATURE: the body doesn't expand, since no section's material");
  expect("*TEMPERATURE, FILE=heat\n", "*TEMPERATURE with FILE: the body doesn't expand");
  expect("*TEMPERATURE\nFLOOR, warm\n", "*TEMPERATURE: its line can't be understood");
  expect("*TEMPERATURE\nNOWHERE, 3.\n", "NOWHERE");
  expect("*END STEP\n*STEP\n*STATIC\n*TEMPERATURE\nFLOOR, 300.\n", "*TEMPERATURE of a later step");
  expect("*DLOAD\nALL, GRAV, 9.81, 0., 0., -1.\nALL, GRAV, 9.81, 0., 0., -1.\n", "elements have it twice");
  expect("*END STEP\n*STEP\n*STATIC\n*CLOAD\n5, 3, 1.\n", "*CLOAD of a later step: the loads are those of the first");
}

}  // namespace
