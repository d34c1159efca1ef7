// Loads on the command line: on sets, of decks, growing, from a shaken base; and where bodies start.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "quartic/quartic.hpp"
#include "support/command.hpp"
#include "support/dense.hpp"

namespace quartic {
namespace {

using Eigen::VectorXd;
using test::CommandResult;
using test::run_quartic;

// A folder with a bar of sets ROOT, TIP and TOP, its model, and the recording of a quake.
class LoadCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ProceduralMesh bar = make_box({.length = 1,
                                   .width = 0.1,
                                   .height = 0.1,
                                   .cells_x = 6,
                                   .cells_y = 1,
                                   .cells_z = 1,
                                   .material = {1e6, 0.3, 1000}});
    bar.mesh.vertex_sets["ROOT"] = bar.fixed_vertices;
    bar.mesh.vertex_sets["TIP"] = vertices_in_box(bar.mesh, {1, 0, 0, 1, 1, 1});
    bar.mesh.vertex_sets["TOP"] = vertices_in_box(bar.mesh, {0, 0, 0.1, 1, 1, 0.1});
    write_gmsh(bar.mesh, *folder_ / "bar.msh");
    std::ofstream(*folder_ / "quake.csv") << "time,ax,ay,az\n0,0,0,0\n0.05,0,4,-9\n0.15,2,-6,8\n0.25,0,0,0\n";
    const CommandResult reduced = run("reduce bar.msh" + held() + "--modes 4 --rank 8 -o bar.qrt");
    ASSERT_EQ(reduced.exit_code, 0) << reduced.errors;
    model_ = new ReducedModel(load_model(*folder_ / "bar.qrt"));
  }
  static void TearDownTestSuite() {
    delete model_;
    delete folder_;
  }
  static std::string held() { return " --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1000 --fix-set ROOT "; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }

  static VectorXd reduced(const std::vector<PointForce>& forces) {
    const std::vector<double> whole = force_vector(forces, model_->mesh.vertex_count());
    return model_->basis.map().transpose() * VectorXd::Map(whole.data(), std::ssize(whole));
  }
  static const std::vector<std::int32_t>& set(const std::string& name) { return model_->mesh.vertex_sets.at(name); }

  /// q of each frame of 20 steps of 0.01 s; `force(step)` is that of a step.
  template <class Force>
  static std::vector<double> stepped(const Force& force) {
    Batch<double> batch(model_->energy);
    std::vector<double> frames(8);
    for (int step = 0; step < 20; ++step) {
      const VectorXd f = force(step);
      for (int i = 0; i < 8; ++i) batch.force()(i, 0) = f[i];
      batch.step(0.01);
      for (int i = 0; i < 8; ++i) frames.push_back(batch.q()(i, 0));
    }
    return frames;
  }
  static std::vector<double> simulated(const std::string& options) {
    const CommandResult result = run("simulate bar.qrt --steps 20 --dt 0.01 -o x.qtraj " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_trajectory(*folder_ / "x.qtraj").q;
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = std::abs(*std::ranges::max_element(expected, size));
    ASSERT_GT(largest, 0);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-11 * largest) << i;
  }
  static void expect_refused(const std::string& arguments, int code, const std::string& part) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << arguments;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors << "\nlacks: " << part;
  }

  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline ReducedModel* model_ = nullptr;
};

TEST_F(LoadCommands, SimulateLoadsTheSetsOfTheModel) {
  const VectorXd pull = reduced(spread_force(model_->mesh, set("TIP"), {2, 0, -1}));
  const VectorXd shear = reduced(traction_forces(model_->mesh, set("TOP"), {0, 30, 0}));
  const VectorXd pressure = reduced(pressure_forces(model_->mesh, set("TOP"), 25));
  expect_near(
      simulated("--force-set TIP=2,0,-1,0.05,0.1 --traction-set TOP=0,30,0 --pressure-set TOP=25"),
      stepped([&](int step) { return VectorXd(shear + pressure + (step >= 5 && step < 10 ? 1.0 : 0.0) * pull); }));
}

TEST_F(LoadCommands, SolveAndCompareLoadTheSetsOfTheMesh) {
  const CommandResult solved = run("solve bar.msh" + held() + "--static --pressure-set TOP=25 -o x.qsnap");
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  const Snapshots rest = load_snapshots(*folder_ / "x.qsnap");
  const std::vector<double> u(rest.displacements.values);
  const std::vector<double> elastic = internal_force(model_->mesh, u);
  const std::vector<double> force =
      force_vector(pressure_forces(model_->mesh, set("TOP"), 25), model_->mesh.vertex_count());
  for (std::size_t i = 0; i < force.size(); ++i) {
    const bool fixed = std::ranges::binary_search(model_->fixed_vertices, static_cast<std::int32_t>(i / 3));
    EXPECT_NEAR(fixed ? force[i] : elastic[i], force[i], 1e-8) << i;  // of forces around 0.1 N
  }
  const CommandResult compared = run("compare bar.qrt --static --pressure-set TOP=25 --json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
}

TEST_F(LoadCommands, RampsGrowUntilTheEndOfEachStep) {
  const VectorXd pull = reduced(spread_force(model_->mesh, set("TIP"), {0, 0, -1}));
  expect_near(simulated("--force-set TIP=0,0,-1 --ramp 0.1"),
              stepped([&](int step) { return VectorXd(std::min(1.0, (step + 1) / 10.0) * pull); }));
  const CommandResult solved =
      run("solve bar.msh" + held() + "--force-set TIP=0,0,-1 --ramp 0.1 --steps 3 --dt 0.01 -o x.qsnap");
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  UnreducedBody body(model_->mesh, model_->fixed_vertices);
  const std::vector<double> force =
      force_vector(spread_force(model_->mesh, set("TIP"), {0, 0, -1}), model_->mesh.vertex_count());
  for (int step = 1; step <= 3; ++step) {
    for (std::size_t i = 0; i < force.size(); ++i) body.force()[i] = 0.1 * step * force[i];
    body.step(0.01);
  }
  const auto last = load_snapshots(*folder_ / "x.qsnap");
  const auto u = last.displacements.col(3);
  for (std::size_t i = 0; i < force.size(); ++i) EXPECT_NEAR(u[i], body.displacement()[i], 1e-12);
}

TEST_F(LoadCommands, ABaseThatShakesIsAForceOfInertia) {
  const BaseAcceleration quake = read_base_acceleration(*folder_ / "quake.csv");
  expect_near(simulated("--base quake.csv --gravity 0,0,-9.81"), stepped([&](int step) {
                const auto a = acceleration_at(quake, 0.01 * (step + 1));
                return VectorXd(model_->unit_acceleration.map() * Eigen::Vector3d(-a[0], -a[1], -9.81 - a[2]));
              }));
  const CommandResult solved =
      run("solve bar.msh" + held() + "--base quake.csv --steps 20 --dt 0.01 --newton 4 -o x.qsnap");
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  // Without another load the equilibrium is rest.
  const Snapshots from_rest = load_snapshots(*folder_ / "x.qsnap");
  const CommandResult started =
      run("solve bar.msh" + held() + "--base quake.csv --start equilibrium --steps 20 --dt 0.01 --newton 4 -o x.qsnap");
  ASSERT_EQ(started.exit_code, 0) << started.errors;
  expect_near(load_snapshots(*folder_ / "x.qsnap").displacements.values, from_rest.displacements.values);
  // The whole body beside the reduced one, which knows its first modes alone.
  const CommandResult compared = run("compare bar.qrt --ranks 8 --base quake.csv --steps 20 --dt 0.01 --json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  EXPECT_LT(compared.json()["rows"].at(0)["error"].get<double>(), 0.05) << compared.output;
  // Both are damped, and strongly.
  const CommandResult damped =
      run("compare bar.qrt --ranks 8 --base quake.csv --strain-damping 0.02 --steps 20 --dt 0.01 --json");
  ASSERT_EQ(damped.exit_code, 0) << damped.errors;
  EXPECT_LT(damped.json()["rows"].at(0)["error"].get<double>(), 0.05) << damped.output;
  EXPECT_NE(damped.json()["rows"][0]["error"], compared.json()["rows"][0]["error"]);
  expect_refused("compare bar.qrt --static --strain-damping 1 --gravity 0,0,-9.81", 2, "--strain-damping");
}

TEST_F(LoadCommands, BodiesStartInEquilibrium) {
  const std::vector<double> q = simulated("--gravity 0,0,-9.81 --start equilibrium");
  double largest = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    largest = std::max(largest, std::abs(q[i % 8]));
    EXPECT_NEAR(q[i], q[i % 8], 1e-8 * largest);
  }
  EXPECT_GT(largest, 1e-3);
  const CommandResult solved =
      run("solve bar.msh" + held() + "--gravity 0,0,-9.81 --start equilibrium --steps 5 --dt 0.01 -o x.qsnap");
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  const Snapshots rest = load_snapshots(*folder_ / "x.qsnap");
  double lowest = 0;
  for (const double x : rest.displacements.col(0)) lowest = std::min(lowest, x);
  EXPECT_LT(lowest, -1e-2);
  for (std::size_t i = 0; i < rest.displacements.col(0).size(); ++i)
    EXPECT_NEAR(rest.displacements.col(5)[i], rest.displacements.col(0)[i], 1e-7 * -lowest);
}

// A start that is given has the acceleration that belongs to it, so that Newmark's rule is of second order from there.
TEST_F(LoadCommands, BodiesStartWhereTheyAreTold) {
  std::ofstream(*folder_ / "start.txt") << "0.02 # q\n-0.01,0.005\n";
  const auto last_of = [&](int steps) {
    const CommandResult result =
        run("simulate bar.qrt --start-q start.txt --start-velocity 0.5,0.1 --newton 8 --steps 1 --dt 0.02 --substeps " +
            std::to_string(steps) + " -o y.qtraj");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const Trajectory motion = load_trajectory(*folder_ / "y.qtraj");
    EXPECT_EQ(motion.q[0], 0.02);
    EXPECT_EQ(motion.q[2], 0.005);
    EXPECT_EQ(motion.q[3], 0);
    return VectorXd(VectorXd::Map(motion.q.data() + 8, 8));
  };
  // A list that is longer than a file's name may be is none.
  const CommandResult result =
      run("simulate bar.qrt --steps 1 -o y.qtraj --start-q 0.02,0.01" + std::string(300, '0') + ",0.005");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(load_trajectory(*folder_ / "y.qtraj").q[2], 0.005);
  const VectorXd coarse = last_of(200), half = last_of(400), fine = last_of(800);
  EXPECT_NEAR(std::log2((coarse - half).norm() / (half - fine).norm()), 2, 0.1);
}

TEST_F(LoadCommands, DecksBringTheirLoads) {
  std::ofstream(*folder_ / "tet.inp") << R"(*NODE
1,0,0,0
2,1,0,0
3,0,1,0
4,0,0,1
5,9,9,9
6,1,1,1
*ELEMENT,TYPE=C3D4,ELSET=E
1,1,2,3,4
2,2,3,4,6
*SOLID SECTION,ELSET=E,MATERIAL=M
*MATERIAL,NAME=M
*ELASTIC
1e6,0.3
*DENSITY
1000.
*BOUNDARY
1,1,3
2,1,3
3,1,3
*STEP
*STATIC
*CLOAD
6,3,-20.
*DLOAD
E,GRAV,9.81,0,0,-1
*END STEP
)";
  ASSERT_EQ(run("reduce tet.inp --fix-set boundary --modes 2 --rank 3 -o tet.qrt").exit_code, 0);
  const CommandResult deck = run("simulate tet.qrt --loads-of tet.inp --steps 5 -o deck.qtraj");
  ASSERT_EQ(deck.exit_code, 0) << deck.errors;
  ASSERT_EQ(run("simulate tet.qrt --force 4,0,0,-20 --gravity 0,0,-9.81 --steps 5 -o typed.qtraj").exit_code, 0);
  EXPECT_EQ(load_trajectory(*folder_ / "deck.qtraj").q, load_trajectory(*folder_ / "typed.qtraj").q);
  expect_refused("simulate bar.qrt --loads-of tet.inp --steps 5 -o x.qtraj", 1, "of another mesh");
}

// Temperatures of a deck, beside the same by --heat, and in every command that takes loads.
TEST_F(LoadCommands, HeatOfDecksIsThatOfTheOptions) {
  const std::string deck =
      "*NODE,NSET=N\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n"
      "*SOLID SECTION,ELSET=E,MATERIAL=M\n*MATERIAL,NAME=M\n*ELASTIC\n1e6,0.3\n*DENSITY\n1000.\n"
      "*EXPANSION\n2e-4\n*BOUNDARY\n1,1,3\n2,2,3\n3,3,3\n";
  std::ofstream(*folder_ / "warm.inp") << deck << "*STEP\n*STATIC\n*TEMPERATURE\nN,40.\n*END STEP\n";
  const auto solved = [](const std::string& options) {
    const CommandResult result = run("solve warm.inp --fix-set boundary --static -o x.qsnap " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_snapshots(*folder_ / "x.qsnap").displacements.values;
  };
  EXPECT_EQ(solved("--loads-of warm.inp"), solved("--heat 40 --expansion 2e-4"));
  ASSERT_EQ(run("reduce warm.inp --fix-set boundary --modes 3 --rank 4 -o warm.qrt").exit_code, 0);
  const auto moved = [](const std::string& options) {
    const CommandResult result = run("simulate warm.qrt --steps 5 -o x.qtraj " + options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_trajectory(*folder_ / "x.qtraj").q;
  };
  EXPECT_EQ(moved("--loads-of warm.inp"), moved("--heat 40 --expansion 2e-4"));
  const CommandResult compared = run("compare warm.qrt --static --loads-of warm.inp --ranks 4 --json");
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  EXPECT_EQ(
      run("compare warm.qrt --static --heat 40 --expansion 2e-4 --ranks 4 --json").json()["rows"][0]["field_error"],
      compared.json()["rows"][0]["field_error"]);
  expect_refused("simulate warm.qrt --loads-of warm.inp --heat 1 --expansion 1 -o x.qtraj", 1,
                 "temperatures of its own");
  expect_refused("view warm.qrt --loads-of warm.inp --screenshot x.png", 1, "which the viewer doesn't know");
}

// A tip that goes along a curve: exactly there in every frame, reduced and unreduced, and at rest where it ends.
TEST_F(LoadCommands, SetsGoWhereTheirCurvesSay) {
  std::ofstream(*folder_ / "path.csv") << "time,displacement\n0,0\n0.1,0.02\n0.3,-0.01\n";
  ASSERT_EQ(run("reduce bar.msh" + held() + "--fix-set TIP:z --modes 4 --rank 8 -o tip.qrt").exit_code, 0);
  const CommandResult reduced =
      run("simulate tip.qrt --move-set TIP:z=path.csv --rayleigh-mass 5 --steps 40 --dt 0.01 --checkpoint tip.qstate "
          "-o tip.csv "
          "-o tip.pvd --json");
  ASSERT_EQ(reduced.exit_code, 0) << reduced.errors;
  const CommandResult unreduced =
      run("solve bar.msh" + held() + "--move-set TIP:z=path.csv --rayleigh-mass 5 --steps 40 --dt 0.01 -o tip.qsnap");
  ASSERT_EQ(unreduced.exit_code, 0) << unreduced.errors;
  const Matrix u = load_snapshots(*folder_ / "tip.qsnap").displacements;
  const std::vector<std::int32_t> tip = set("TIP");
  for (const auto& [frame, place] : {std::pair{5, 0.01}, {10, 0.02}, {20, 0.005}, {40, -0.01}})
    for (const std::int32_t v : tip) EXPECT_NEAR(u(3 * v + 2, frame), place, 1e-14) << frame;
  // Once more, in two parts: the second goes on with what the checkpoint has.
  ASSERT_EQ(
      run("simulate tip.qrt --move-set TIP:z=path.csv --rayleigh-mass 5 --steps 15 --dt 0.01 --checkpoint half.qstate "
          "-o half.csv")
          .exit_code,
      0);
  ASSERT_EQ(run("simulate tip.qrt --move-set TIP:z=path.csv --resume half.qstate --steps 25 --dt 0.01 --checkpoint "
                "again.qstate "
                "-o rest.csv")
                .exit_code,
            0);
  EXPECT_EQ(test::file_text(*folder_ / "again.qstate"), test::file_text(*folder_ / "tip.qstate"));
  const CommandResult still = run("solve bar.msh" + held() + "--static --move-set TIP:z=-0.01 -o still.qsnap --json");
  ASSERT_EQ(still.exit_code, 0) << still.errors;
  EXPECT_TRUE(still.json().at("converged").get<bool>());
  for (const char* start : {"", " --start equilibrium"}) {  // held there from the start on, it hardly moves
    const CommandResult held_there =
        run(std::string("simulate tip.qrt --move-set TIP:z=-0.01 --steps 3 --json -o x.csv") + start);
    ASSERT_EQ(held_there.exit_code, 0) << held_there.errors;
    EXPECT_LT(held_there.json()["kinetic_energy"]["last"].get<double>(),
              0.01 * held_there.json()["energy"]["last"].get<double>());
  }
}

// One mode alone, of two that are alike, set in motion, loses its energy as exp(-2 zeta omega t).
TEST_F(LoadCommands, ModesDecayByTheirRatios) {
  const double omega = std::sqrt(model_->eigenvalues[0]);
  const Matrix stiffness = evaluate(model_->energy, std::vector<double>(8)).stiffness;
  const Eigen::MatrixXd shapes = test::eigen_pairs(stiffness.map()).vectors;
  std::ofstream(*folder_ / "swing.txt") << 1e-6 * shapes.col(0).transpose() << '\n';
  const double period = 2 * M_PI / omega;
  const CommandResult result =
      run("simulate bar.qrt --start-q swing.txt --modal-damping 0.05,0.05,0.2 --integrator energy-conserving --steps 1 "
          "--substeps 400 --dt " +
          std::to_string(period) + " --json -o x.qtraj");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const double decay = result.json()["energy"]["last"].get<double>() / result.json()["energy"]["first"].get<double>();
  EXPECT_NEAR(std::log(decay) / (-2 * 0.05 * 2 * M_PI), 1, 0.02);  // a little more or less within the swing
  expect_refused("simulate bar.qrt --modal-damping -1 -o x.qtraj", 2, "--modal-damping");
  expect_refused("simulate bar.qrt --modal-damping 0.1 --stiffness-scale 2 -o x.qtraj", 2, "--stiffness-scale");
}

// A small swing in one mode loses exp(-tau omega^2 t) of its energy, and a checkpoint brings the damping along.
TEST_F(LoadCommands, BodiesAreDampedByStrainRates) {
  const double omega = std::sqrt(model_->eigenvalues[0]), period = 2 * M_PI / omega, tau = 0.1 / omega;
  const Matrix stiffness = evaluate(model_->energy, std::vector<double>(8)).stiffness;
  const Eigen::MatrixXd shapes = test::eigen_pairs(stiffness.map()).vectors;
  std::ofstream(*folder_ / "swing.txt") << 1e-6 * shapes.col(0).transpose() << '\n';
  const std::string way = "--integrator energy-conserving --substeps 200 --json --dt " + std::to_string(period / 2);
  const std::string damped = "simulate bar.qrt --start-q swing.txt --strain-damping " + std::to_string(tau) + " ";
  const CommandResult whole = run(damped + way + " --steps 2 -o x.qtraj --checkpoint whole.qstate");
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const double decay = whole.json()["energy"]["last"].get<double>() / whole.json()["energy"]["first"].get<double>();
  EXPECT_NEAR(std::log(decay) / (-tau * omega * omega * period), 1, 0.02);
  ASSERT_EQ(run(damped + way + " --steps 1 -o x.qtraj --checkpoint half.qstate").exit_code, 0);
  const CommandResult other =
      run("simulate bar.qrt --resume half.qstate " + way + " --steps 1 -o x.qtraj --checkpoint two.qstate");
  ASSERT_EQ(other.exit_code, 0) << other.errors;
  EXPECT_EQ(test::file_text(*folder_ / "two.qstate"), test::file_text(*folder_ / "whole.qstate"));
  expect_refused("simulate bar.qrt --resume half.qstate --strain-damping 1 -o x.qtraj", 2, "--strain-damping");
  expect_refused("simulate bar.qrt --strain-damping -1 -o x.qtraj", 2, "--strain-damping");
  expect_refused("simulate bar.qrt --dynamics modal --strain-damping 1 -o x.qtraj", 2, "--strain-damping");
}

TEST_F(LoadCommands, MistakesAreTold) {
  expect_refused("simulate bar.qrt --move-set TIP=1 -o x.csv", 2, "SET:DIRECTION=METRES");
  expect_refused("simulate bar.qrt --move-set TIP:w=1 -o x.csv", 2, "--move-set");
  expect_refused("simulate bar.qrt --move-set TIP:z=1 -o x.csv", 1, "isn't held along the direction of its motion");
  expect_refused("simulate bar.qrt --move-set EDGE:z=1 -o x.csv", 1, "TIP");
  expect_refused("simulate bar.qrt --move-set ROOT:z=1 -o x.qtraj", 2, ".qtraj");
  expect_refused("simulate bar.qrt --move-set ROOT:z=none.csv -o x.csv", 1, "none.csv");
  expect_refused("simulate bar.qrt --move-set ROOT:x=1 --move-set ROOT:1,1,0=1 -o x.csv", 1, "aren't perpendicular");
  expect_refused("solve bar.msh" + held() + "--static --move-set TIP:z=quake.csv -o x.qsnap", 1, "time,displacement");

  expect_refused("simulate bar.qrt --force-set TIP -o x.qtraj", 2, "SET=x,y,z");
  expect_refused("simulate bar.qrt --force-set TIP=1,2 -o x.qtraj", 2, "SET=x,y,z");
  expect_refused("simulate bar.qrt --pressure-set TOP=1,0.2,0.1 -o x.qtraj", 2, "must end after it begins");
  expect_refused("simulate bar.qrt --heat 1 --expansion 1e-5 --expansion 1e-4 -o x.qtraj", 2, "given twice");
  expect_refused("simulate bar.qrt --force-set EDGE=1,2,3 -o x.qtraj", 1, "TIP");
  expect_refused("simulate bar.qrt --loads-of bar.msh -o x.qtraj", 1, "only Abaqus and CalculiX decks");
  expect_refused("simulate bar.qrt --base none.csv -o x.qtraj", 1, "none.csv");
  expect_refused("simulate bar.qrt --gravity 0,0,-1 --ramp 1 --start equilibrium -o x.qtraj", 2, "--ramp");
  expect_refused("simulate bar.qrt --start-q 1,2,3,4,5,6,7,8,9 -o x.qtraj", 1, "rank 8");
  const auto start = [](const std::string& text) { std::ofstream(*folder_ / "start.csv") << text; };
  start("0.01\n1,,2\n");
  expect_refused("simulate bar.qrt --start-q start.csv -o x.qtraj", 1, "start.csv:2: there is no number in front of");
  start(",1\n");
  expect_refused("simulate bar.qrt --start-velocity start.csv -o x.qtraj", 1, "start.csv:1: there is no number");
  start("0.01\nP\x1b[31m\x07" + std::string(300, 'x'));
  expect_refused("simulate bar.qrt --start-q start.csv -o x.qtraj", 2, "--start-q start.csv: 'P?[31m?xxx");
  expect_refused("simulate bar.qrt --start-q 1e300 -o x.qtraj", 1, "take smaller numbers");
  expect_refused("simulate bar.qrt --dt 1e300 --gravity 0,0,-1 -o x.qtraj", 1, "small enough for its square");
  expect_refused("simulate bar.qrt --heat nan --expansion 1e-5 -o x.qtraj", 2, "--heat must be finite");
  expect_refused("simulate bar.qrt --gas AIR=0 --atmosphere nan -o x.qtraj", 2, "--atmosphere");
  expect_refused("simulate bar.qrt --gas AIR=0 --atmosphere -1 -o x.qtraj", 2, "above, not '-1'");
  start("0.01\n");
  expect_refused("simulate bar.qrt --start-q start.csv -o start.csv", 2, "would overwrite the input");
  expect_refused("simulate bar.qrt --start-velocity start.csv -o start.csv", 2, "would overwrite the input");
  expect_refused("solve bar.msh" + held() + "--static --base quake.csv -o x.qsnap", 2, "--base");
  expect_refused(
      "solve bar.msh --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1 --free --base quake.csv -o x.qsnap", 1,
      "nothing holds this body");
  ASSERT_EQ(run("reduce bar.msh --youngs-modulus 1e6 --poissons-ratio 0.3 --density 1 --free --modes 2 --rank 2 "
                "--no-derivatives -o free.qrt")
                .exit_code,
            0);
  for (const char* frame : {"", " --hold-frame"})
    expect_refused(std::string("simulate free.qrt --base quake.csv -o x.qtraj") + frame, 1, "nothing holds this body");
  const CommandResult fixed = run("simulate bar.qrt --force-set ROOT=1,0,0 --steps 2 -o x.qtraj");
  EXPECT_NE(fixed.errors.find("--force-set ROOT: all its vertices are fixed"), std::string::npos) << fixed.errors;
}

}  // namespace
}  // namespace quartic
