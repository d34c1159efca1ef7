// What holds a body and hangs on it by command line, and modes as files and motions.
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "io/abaqus_decks.hpp"
#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::cube_deck;
using test::file_text;
using test::run_quartic;

class SupportsCommand : public testing::Test {
 protected:
  SupportsCommand() {
    write("cube.inp", cube_deck);
    write("held.inp", cube_deck + "*BOUNDARY\nFLOOR, 1, 3\n");
  }
  CommandResult run(const std::string& arguments) const { return run_quartic(folder_.path(), arguments); }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  test::TemporaryFolder folder_;
};

TEST_F(SupportsCommand, MistakesAreNamedWithTheirRemedy) {
  struct Case {
    const char* options;
    int exit_code;
    const char* message;
  };
  for (const Case& c : {
           Case{"--fix-set FLOOR:x:y", 2, "directions stand behind one colon, such as FLOOR:xy"},
           Case{"--fix-normal FLOOR:x", 2, "give --fix-normal FLOOR, or --fix-set FLOOR:x"},
           Case{"--fix-set FLOOR:0,0,0", 2, "the direction '0,0,0' points nowhere"},
           Case{"--fix-set FLOR:x:y", 1, "no vertex set"},
           Case{"--body-set TOP=1,2,3", 2, "--body-set takes SET=KG,x,y,z"},
           Case{"--body-set TOP=-1,0,0,2", 2, "the mass must be 0 or more"},
           Case{"--body-set TOP=1,0,0,2,1,1,3", 1, "no body has these moments of inertia"},
           Case{"--area-mass-set TOP=-2", 2, "the number must be 0 or more"},
           Case{"--spring-set TOP:NONE=5", 1, "no vertex set 'TOP:NONE'"},
           Case{"--spring-set TOP:top=5", 1, "give two sets"},
           Case{"--fix-set TOP:1,0,0 --fix-set TOP:1,0.05,0", 1, "is held in directions that almost coincide"},
           Case{"--mass-set TOP=-1", 2, "the number must be 0 or more"},
       }) {
    const CommandResult result = run("modes cube.inp --modes 2 -o x.qrt " + std::string(c.options));
    EXPECT_EQ(result.exit_code, c.exit_code) << c.options << result.errors;
    EXPECT_NE(result.errors.find(c.message), std::string::npos) << c.options << '\n' << result.errors;
  }
}

// What joins too much, or across a gap.
TEST_F(SupportsCommand, DecksThatJoinWronglyAreToldOrRefused) {
  const auto modes_of = [&](const std::string& lines) {
    write("joined.inp", cube_deck + lines);
    return run("modes joined.inp --modes 2 --fix-set FLOOR -o x.qrt");
  };
  const CommandResult twice = modes_of("*EQUATION\n2\n5, 1, 1., 6, 1, -1.\n2\n5, 1, 1., 6, 1, -1.0000001\n");
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_NE(twice.errors.find("almost follows from the other supports and joints"), std::string::npos) << twice.errors;
  EXPECT_NE(twice.errors.find("joined.inp"), std::string::npos) << twice.errors;
  const CommandResult held = modes_of("*EQUATION\n2\n1, 1, 1., 6, 1, -1.\n");
  EXPECT_EQ(held.exit_code, 0) << held.errors;
  EXPECT_NE(held.errors.find("*EQUATION"), std::string::npos) << held.errors;
  const CommandResult gap = modes_of(
      "*NODE\n11, 0., 0., 1.2\n12, 1., 0., 1.2\n13, 1., 1., 1.2\n14, 0., 1., 1.2\n15, 0., 0., 2.\n16, 1., 0., 2.\n"
      "17, 1., 1., 2.\n18, 0., 1., 2.\n*ELEMENT, TYPE=C3D8, ELSET=UP\n2, 11, 12, 13, 14, 15, 16, 17, 18\n"
      "*SOLID SECTION, ELSET=UP, MATERIAL=GEL\n*SURFACE, NAME=LOW\n1, S2\n*SURFACE, NAME=HIGH\n2, S1\n"
      "*TIE, NAME=WELD\nHIGH, LOW\n");
  EXPECT_NE(gap.errors.find("*TIE WELD: vertex 8 is 0.2 m from"), std::string::npos) << gap.errors;
  const CommandResult itself = modes_of("*MPC\nTIE, 5, 5\n");
  EXPECT_EQ(itself.exit_code, 0);
  EXPECT_NE(itself.errors.find("it joins a node to itself"), std::string::npos) << itself.errors;
}

TEST_F(SupportsCommand, WhatADeckHoldsIsPointedTo) {
  EXPECT_NE(run("modes held.inp --modes 2 -o x.qrt").errors.find("--fix-set boundary holds what the deck holds"),
            std::string::npos);
  EXPECT_EQ(run("modes cube.inp --modes 2 -o x.qrt").errors.find("--fix-set boundary"), std::string::npos);
  write("beam.inp", cube_deck + "*NODE\n99, 5., 5., 5.\n*BOUNDARY\n99, 1, 2\n1, 4, 6\n");
  const CommandResult result = run("modes beam.inp --modes 2 --fix-set boundary -o x.qrt");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("*BOUNDARY: it holds nodes outside of solids that nothing moves"), std::string::npos)
      << result.errors;
}

TEST_F(SupportsCommand, RigidBodiesMassesAndSpringsAreTheLibrarys) {
  const CommandResult result =
      run("modes cube.inp --fix-set FLOOR --modes 3 -o x.qrt --body-set TOP=300,0.7,0.4,1.5,20,30,40,5,-3,4 "
          "--area-mass-set TOP=12 --spring-set TOP:FLOOR=2000 --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  VolumeMesh mesh = read_mesh(folder_ / "cube.inp");
  const auto top = find_vertex_set(mesh, "TOP"), floor = find_vertex_set(mesh, "FLOOR");
  mesh.masses = spread_mass_per_area(mesh, top, 12);
  attach_rigid_mass(mesh, top, {300, {0.7, 0.4, 1.5}, {20, 30, 40, 5, -3, 4}}, Link::rigid);
  mesh.springs = springs_between(mesh, top, floor, 2000);
  const LinearModes expected = linear_modes(ElasticSystem(mesh, floor), {.count = 3});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(result.json()["eigenvalues"][i].get<double>() / expected.eigenvalues[i], 1, 1e-10);
}

TEST_F(SupportsCommand, FilesOfModesHaveParticipationFactors) {
  const nlohmann::json made = run("modes cube.inp --fix-set FLOOR --modes 4 -o modes.qrt --json").json();
  const ReducedModel model = load_model(folder_ / "modes.qrt");
  ASSERT_EQ(model.unit_acceleration.rows, 4);
  const Matrix factors = participation_factors(mass_matrix(model.mesh), model.linear_modes.map());
  EXPECT_LE((model.unit_acceleration.map() - factors.map()).norm(), 1e-12 * factors.map().norm());
  const CommandResult info = run("info modes.qrt --json");
  EXPECT_EQ(info.json()["effective_masses"], made["effective_masses"]);
  EXPECT_NE(run("info modes.qrt").output.find("effective mass"), std::string::npos);
  // They are no tensor of models with a basis, and those of another number of modes are refused.
  run("reduce cube.inp --fix-set FLOOR --modes 4 --rank 4 -o model.qrt");
  EXPECT_EQ(file_text(folder_ / "model.qrt").find("mode_unit_acceleration"), std::string::npos);
  ReducedModel wrong = model;
  wrong.unit_acceleration = Matrix(3, 3);
  EXPECT_THROW(save_model(wrong, folder_ / "wrong.qrt"), InputError);
}

TEST_F(SupportsCommand, AModeMovesInALoop) {
  ASSERT_EQ(run("modes cube.inp --fix-set FLOOR --modes 4 -o modes.qrt").exit_code, 0);
  const CommandResult result =
      run("export modes.qrt --mode 2 --amplitude 0.25 --period 4 -o m.csv -o m.glb -o m.pvd --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const ReducedModel model = load_model(folder_ / "modes.qrt");
  EXPECT_NEAR(result.json()["frequency"], std::sqrt(model.eigenvalues[1]) / (2 * std::numbers::pi), 1e-9);
  std::ifstream csv(folder_ / "m.csv");
  std::string line;
  std::getline(csv, line);
  std::vector<double> times, q;
  while (std::getline(csv, line)) {
    times.push_back(std::stod(line));
    q.push_back(std::stod(line.substr(line.find(',') + 1)));
  }
  ASSERT_GE(q.size(), 9U);
  EXPECT_EQ(times.back(), 4);
  EXPECT_EQ(q.front(), 0);
  EXPECT_EQ(q.back(), 0);
  EXPECT_NEAR(*std::max_element(q.begin(), q.end()), 0.25, 1e-15);
  EXPECT_NEAR(*std::min_element(q.begin(), q.end()), -0.25, 1e-15);
  // The frame at a quarter: the mode itself, of that amplitude.
  const VolumeMesh frame = read_mesh(folder_ / "m" / "m_0008.vtu");
  EXPECT_EQ(frame.vertices, model.mesh.vertices);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "m.glb"));
  for (const auto& [arguments, code, message] :
       {std::tuple{"export modes.qrt --mode 5 -o m.csv", 1, "the model has modes 1 to 4"},
        {"export modes.qrt --mode 0 -o m.csv", 2, "--mode"},
        {"export modes.qrt -o m.csv", 2, "or --mode K"},
        {"export modes.qrt m.qtraj --mode 1 -o m.csv", 2, "--mode"},
        {"export modes.qrt --mode 1 --amplitude 0 -o m.csv", 2, "--amplitude"}}) {
    const CommandResult refused = run(arguments);
    EXPECT_EQ(refused.exit_code, code) << arguments << refused.errors;
    EXPECT_NE(refused.errors.find(message), std::string::npos) << arguments << refused.errors;
  }
}

}  // namespace
}  // namespace quartic
