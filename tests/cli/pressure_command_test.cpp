// The command's chambers: reduce --chamber, solve and simulate --pressure.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "chambers/hollow.hpp"
#include "quartic/batch.hpp"
#include "quartic/gas.hpp"
#include "quartic/model.hpp"
#include "quartic/snapshots.hpp"
#include "quartic/trajectory.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

// A hollow box that stands on x = 0.
class PressureCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    VolumeMesh mesh = test::hollow_box(test::BoxCells::hexes, 0);
    mesh.vertex_sets["air"] = test::box_vertices(mesh, false);
    mesh.vertex_sets["skin"] = test::box_vertices(mesh, true);
    for (Region& region : mesh.regions) region.material = Material{1e5, 0.3, 1000};
    write_gmsh(mesh, *folder_ / "hollow.msh");
    ASSERT_EQ(run("solve hollow.msh " + held + " --static --pressure air=5e3 -o inflated.qsnap").exit_code, 0);
    ASSERT_EQ(run("reduce hollow.msh " + held + " --snapshots inflated.qsnap --chamber air -o hollow.qrt").exit_code,
              0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static void refused(const std::string& arguments, int exit_code, const std::string& words) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << '\n' << result.errors;
    EXPECT_NE(result.errors.find(words), std::string::npos) << arguments << '\n' << result.errors;
  }
  static Trajectory simulated(const std::string& options) {
    const CommandResult result = run("simulate hollow.qrt -o motion.qtraj " + options);
    EXPECT_EQ(result.exit_code, 0) << options << '\n' << result.errors;
    return load_trajectory(*folder_ / "motion.qtraj");
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    double largest = 0;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    ASSERT_GT(largest, 0);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance * largest) << i;
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline const std::string held =
      "--fix-box 0,0,0,0,9,9 --youngs-modulus 1e5 --poissons-ratio 0.3 --density 1000";
};

TEST_F(PressureCommand, SolveTellsVolumes) {
  const CommandResult result =
      run("solve hollow.msh " + held + " --static --pressure cavity=5e3 --json -o other.qsnap");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json volume = result.json()["volumes"]["cavity"];
  EXPECT_NEAR(volume["rest"], 0.5 * 0.3 * 0.4, 1e-12);
  EXPECT_GT(volume["inflated"], 0.061);
  EXPECT_EQ(load_snapshots(*folder_ / "other.qsnap").displacements.values,
            load_snapshots(*folder_ / "inflated.qsnap").displacements.values);
  const nlohmann::json motion =
      run("solve hollow.msh " + held + " --pressure air=5e3 --steps 3 --dt 0.01 --json -o moved.qsnap").json();
  EXPECT_GT(motion["energy"]["last"], 0);
}

TEST_F(PressureCommand, ReduceTellsHowFarTheBasisBulges) {
  const nlohmann::json own = run("info hollow.qrt --json").json()["chambers"];
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0]["name"], "air");
  EXPECT_EQ(own[0]["faces"], 6);
  const CommandResult modes =
      run("reduce hollow.msh " + held + " --modes 3 --rank 3 --no-derivatives --chamber air --json -o modes.qrt");
  ASSERT_EQ(modes.exit_code, 0) << modes.errors;
  EXPECT_LT(modes.json()["chambers"][0]["answered_share"], 0.5);
  EXPECT_NE(modes.errors.find("on this basis a small pressure adds only"), std::string::npos) << modes.errors;
  const nlohmann::json bulging =
      run("reduce hollow.msh " + held + " --snapshots inflated.qsnap --chamber air --json -o again.qrt").json();
  EXPECT_GT(bulging["chambers"][0]["answered_share"], 0.9);
  EXPECT_LT(bulging["chambers"][0]["answered_share"], 1 + 1e-6);
}

// Before the training, which takes long.
TEST_F(PressureCommand, CubaturesAreRefusedAtOnce) {
  for (const std::string law : {" --law mooney-rivlin", " --cubature-points 8"})
    refused("reduce hollow.msh " + held + law + " --modes 3 --rank 3 --chamber air -o x.qrt", 1,
            "chambers don't go with a cubature");
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "x.qrt"));
}

TEST_F(PressureCommand, SimulateFollowsAFile) {
  std::ofstream(*folder_ / "puff.csv") << "Time, pressure\n# a puff\n0,0 # Pa\n\n0.5, 5000\n9,5000\n";
  const std::string options = " --steps 200 --dt 0.05 --rayleigh-mass 20";
  const Trajectory held_up = simulated("--pressure air=5e3" + options);
  const Trajectory puffed = simulated("--pressure air=puff.csv" + options);
  const ReducedModel model = load_model(*folder_ / "hollow.qrt");
  // Newmark takes what is in the chamber at the end of a step.
  Batch<double> batch({{.energy = model.energy, .bodies = 1, .chambers = chamber_volumes(model)}},
                      {.rayleigh_mass = 20});
  std::vector<double> expected(static_cast<std::size_t>(model.rank()));
  for (int step = 1; step <= 20; ++step) {
    batch.set_pressure(std::vector{std::min(5e3, 500.0 * step)});
    batch.step(0.05);
    for (int i = 0; i < model.rank(); ++i) expected.push_back(batch.q()(i, 0));
  }
  expect_near({puffed.q.begin(), puffed.q.begin() + std::ssize(expected)}, expected, 1e-12);
  // A ramp of the same length is the same motion, of the unreduced body, too.
  expect_near(simulated("--pressure air=5e3 --ramp 0.5" + options).q, puffed.q, 1e-12);
  const auto solved = [](const std::string& pressure) {
    const CommandResult result = run("solve hollow.msh " + held + pressure + " --steps 3 --dt 0.05 -o x.qsnap");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return load_snapshots(*folder_ / "x.qsnap").displacements.values;
  };
  expect_near(solved(" --pressure air=5e3 --ramp 0.5"), solved(" --pressure air=puff.csv"), 1e-11);
  // Both come to rest where the unreduced body does, whose place is in the basis.
  const Snapshots whole = load_snapshots(*folder_ / "inflated.qsnap");
  const auto rest = whole.displacements.map().col(0);
  for (const Trajectory& t : {held_up, puffed}) {
    const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(t.q.data() + 200 * t.rank, t.rank);
    EXPECT_LE((u - rest).norm(), 1e-3 * rest.norm());
  }
}

TEST_F(PressureCommand, SimulateShutsInAGas) {
  const Trajectory found = simulated("--gas air=5e3 --atmosphere 2e4 --steps 20 --dt 0.05 --rayleigh-mass 20");
  const ReducedModel model = load_model(*folder_ / "hollow.qrt");
  Batch<double> batch({{.energy = model.energy, .bodies = 1, .chambers = chamber_volumes(model)}},
                      {.rayleigh_mass = 20});
  set_gas<double>(batch, std::vector{2.5e4 * batch.enclosed_volume()[0]}, 0, 2e4);
  std::vector<double> expected(static_cast<std::size_t>(model.rank()));
  for (int step = 1; step <= 20; ++step) {
    batch.step(0.05);
    for (int i = 0; i < model.rank(); ++i) expected.push_back(batch.q()(i, 0));
  }
  expect_near(found.q, expected, 1e-12);
  const std::string simulate = "simulate hollow.qrt -o x.qtraj --steps 2 --dt 0.01 ";
  refused(simulate + "--gas air", 2, "NAME=Pa");
  refused(simulate + "--gas air=1 --gas air=2", 2, "twice");
  refused(simulate + "--gas air=-2e5", 2, "vacuum");
  refused(simulate + "--gas gas=1", 1, "gas");
  refused(simulate + "--atmosphere 1e5", 2, "--gas");
}

// Loads go by the batch's own time, which a checkpoint keeps.
TEST_F(PressureCommand, ResumesToTheBit) {
  std::ofstream(*folder_ / "rise.csv") << "0,0\n0.3,5000\n";
  const std::string options = "--pressure air=rise.csv --gravity 0,0,-1 --ramp 0.2 --dt 0.01 ";
  const Trajectory whole = simulated(options + "--steps 30");
  simulated(options + "--steps 13 --checkpoint half.qstate");
  const Trajectory rest = simulated(options + "--steps 17 --resume half.qstate");
  ASSERT_GE(whole.q.size(), rest.q.size());
  EXPECT_TRUE(std::equal(rest.q.rbegin(), rest.q.rend(), whole.q.rbegin()));
}

TEST_F(PressureCommand, BodiesRestInEquilibrium) {
  double soft = 0;
  for (const char* scale : {"1", "2"}) {
    const Trajectory resting = simulated(std::string("--pressure air=5e3 --start equilibrium --steps 20 --dt 0.01") +
                                         " --rayleigh-stiffness 0.01 --stiffness-scale " + scale);
    for (const double q : resting.q) EXPECT_NEAR(q, resting.q[0], 1e-8 * std::abs(resting.q[0])) << scale;
    if (soft == 0) soft = resting.q[0];
  }
  EXPECT_GT(std::abs(simulated("--pressure air=5e3 --start equilibrium --steps 1").q[0]), 0);
  EXPECT_EQ(simulated("--pressure air=5e3 --start equilibrium --steps 1").q[0], soft);
  const double stiff = simulated("--pressure air=5e3 --start equilibrium --stiffness-scale 2 --steps 1").q[0];
  EXPECT_LT(std::abs(stiff), 0.7 * std::abs(soft));
}

// Pressed by its own weight on a gas, beside a pressure: the gas is found as stiff as it is in motion.
TEST_F(PressureCommand, BodiesRestOnAGas) {
  const std::string options =
      "--gravity -40,0,0 --pressure air=1e3 --gas air=2e3 --atmosphere 2e4 --start equilibrium ";
  const Trajectory resting = simulated(options + "--steps 20 --dt 0.01");
  ASSERT_GT(std::abs(resting.q[0]), 0);
  for (const double q : resting.q) EXPECT_NEAR(q, resting.q[0], 1e-8 * std::abs(resting.q[0]));
  EXPECT_NE(simulated("--gravity -40,0,0 --pressure air=3e3 --start equilibrium --steps 1").q[0], resting.q[0]);
}

// The acceleration at the start is that of P = S V - p V_c, whose force and stiffness are differences here.
TEST_F(PressureCommand, BodiesStartWithTheirAcceleration) {
  const ReducedModel model = load_model(*folder_ / "hollow.qrt");
  ASSERT_EQ(model.rank(), 1);
  const double q = simulated("--pressure air=5e3 --start equilibrium --steps 1").q[0] / 2, speed = 7 * q;
  const double scale = 2, pressure = 3e3, alpha = 4, beta = 0.01, h = 1e-2 * std::abs(q);
  const auto potential = [&](double x) {
    const std::vector<double> at = {x};
    return scale * evaluate(model.energy, at).energy - pressure * evaluate(model.chambers[0].volume, at).volume;
  };
  // A quartic: these are exact but for rounding.
  const double slope =
      (potential(q - 2 * h) - 8 * potential(q - h) + 8 * potential(q + h) - potential(q + 2 * h)) / (12 * h);
  const double bend = (-potential(q - 2 * h) + 16 * potential(q - h) - 30 * potential(q) + 16 * potential(q + h) -
                       potential(q + 2 * h)) /
                      (12 * h * h);
  Batch<double> batch({{.energy = model.energy, .bodies = 1, .chambers = chamber_volumes(model)}},
                      {.rayleigh_mass = alpha, .rayleigh_stiffness = beta});
  batch.set_stiffness_scale(std::vector{scale});
  batch.set_pressure(std::vector{pressure});
  batch.q()(0, 0) = q;
  batch.velocity()(0, 0) = speed;
  batch.acceleration()(0, 0) = -slope - (alpha + beta * bend) * speed;
  batch.step(0.01);
  std::ostringstream options;
  options.precision(17);
  options << "--pressure air=3e3 --stiffness-scale 2 --rayleigh-mass 4 --rayleigh-stiffness 0.01 --start-q " << q
          << " --start-velocity " << speed << " --steps 1 --dt 0.01";
  const double found = simulated(options.str()).q[1];
  EXPECT_NEAR(found, batch.q()(0, 0), 1e-8 * std::abs(found - q));
}

TEST_F(PressureCommand, OneChamberHasOneName) {
  const std::string reduce = "reduce hollow.msh " + held + " --snapshots inflated.qsnap -o x.qrt ";
  refused(reduce + "--chamber air --chamber cavity", 1, "has the faces of 'air'");
  refused(reduce + "--chamber cavity --chamber cavity-1", 1, "has the faces of 'cavity'");
  refused("solve hollow.msh " + held + " --static -o x.qsnap --pressure cavity=1 --pressure air=1", 1,
          "are one chamber");
}

// A free body's, too: that of a few modes is small, and that of many nearly all, as where it is held.
TEST_F(PressureCommand, AFreeBodysChamberHasAShare) {
  const auto share = [](const std::string& size) {
    const CommandResult result =
        run("reduce hollow.msh --youngs-modulus 1e5 --poissons-ratio 0.3 --density 1000 "
            "--no-derivatives --chamber air --json -o free.qrt " +
            size);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.json()["chambers"][0]["answered_share"].get<double>();
  };
  const double few = share("--modes 3 --rank 3"), many = share("--modes 100 --rank 100");
  EXPECT_LT(few, 0.5);
  EXPECT_GT(many, few);
  EXPECT_LT(many, 1 + 1e-6);
}

// Nothing is said of the share of a chamber that can't change.
TEST_F(PressureCommand, AHeldChamberHasNoShare) {
  const CommandResult result =
      run("reduce hollow.msh --fix-set air --youngs-modulus 1e5 --poissons-ratio 0.3 --density 1000 --modes 2 "
          "--rank 2 --no-derivatives --chamber air -o x.qrt");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("6 faces"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("of the unreduced body's volume"), std::string::npos) << result.output;
}

TEST_F(PressureCommand, MistakesAreTold) {
  const std::string solve = "solve hollow.msh " + held + " --static -o x.qsnap --pressure ";
  refused(solve + "gas=1", 1, "there is no chamber 'gas': the mesh's vertex sets are 'air' 'skin'");
  refused(solve + "skin=1", 1, "around the body");
  refused(solve + "air", 2, "NAME=Pa");
  refused(solve + "air=1 --pressure air=2", 2, "twice");
  refused(solve + "air=none.csv", 1, "can't be read");
  std::ofstream(*folder_ / "bad.csv") << "0,1\nx,y\n";
  refused(solve + "air=bad.csv", 1, "bad.csv:2");
  const auto curve = [](const std::string& text) { std::ofstream(*folder_ / "bad.CSV") << text; };
  curve("0,l\n1,2\n");
  refused(solve + "air=bad.CSV", 1, "bad.CSV:1: pressure 'l' is not a finite number");
  curve("0;1\n");
  refused(solve + "air=bad.CSV", 1, "bad.CSV:1: time '0;1' is not a finite number; a line is time,pressure");
  curve("# in kPa\ntime,kPa\n0,1\n");
  refused(solve + "air=bad.CSV", 1, "bad.CSV:2: the columns must be time,pressure");
  curve("1,2\n0,3\n");
  refused(solve + "air=bad.CSV", 1, "bad.CSV:2: times must ascend");
  curve("# nothing\n");
  refused(solve + "air=bad.CSV", 1, "there are no numbers; a line is time,pressure");
  curve("0,5000\n1,0\n");
  refused(solve + "air=bad.CSV", 2, "an equilibrium is that of one pressure");
  curve("0,5000\n1,5000\n");
  EXPECT_EQ(run(solve + "air=bad.CSV").exit_code, 0);
  // More than the body holds on its way: that is told, and the file has where it ended.
  const CommandResult most =
      run("solve hollow.msh " + held + " --static --load-steps 3 -o most.qsnap --pressure air=5e5");
  EXPECT_NE(most.errors.find("beyond a limit point of the pressure"), std::string::npos) << most.errors;
  EXPECT_EQ(load_snapshots(*folder_ / "most.qsnap").count(), 1);
  const CommandResult moving =
      run("simulate hollow.qrt --pressure air=1e9 --ramp 0.05 --steps 10 --dt 0.01 --json -o x.qtraj");
  EXPECT_EQ(moving.json().at("status").at("ok"), 0) << moving.output;
  std::ofstream(*folder_ / "over.csv") << "0,1\n";
  refused("simulate hollow.qrt --pressure air=over.csv --steps 1 -o over.csv", 2, "would overwrite the input");
  refused("simulate hollow.qrt --pressure gas=1 --steps 1 -o x.qtraj", 1, "it has: 'air'");
  run("reduce hollow.msh " + held + " --modes 3 --rank 3 -o plain.qrt");
  refused("simulate plain.qrt --pressure air=1 --steps 1 -o x.qtraj", 1, "reduce its mesh with --chamber");
}

}  // namespace
}  // namespace quartic
