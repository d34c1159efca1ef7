// The command's chambers: reduce --chamber, solve and simulate --pressure.
#include <cmath>
#include <fstream>
#include <string>

#include "chambers/hollow.hpp"
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

TEST_F(PressureCommand, SimulateFollowsAFile) {
  std::ofstream(*folder_ / "puff.csv") << "time,pressure\n0,0\n0.5,5000\n9,5000\n";
  const std::string motion = " --steps 200 --dt 0.05 --rayleigh-mass 20 --json -o motion.qtraj";
  const CommandResult constant = run("simulate hollow.qrt --pressure air=5e3" + motion);
  ASSERT_EQ(constant.exit_code, 0) << constant.errors;
  const Trajectory held_up = load_trajectory(*folder_ / "motion.qtraj");
  const CommandResult ramp = run("simulate hollow.qrt --pressure air=puff.csv" + motion);
  ASSERT_EQ(ramp.exit_code, 0) << ramp.errors;
  const Trajectory puffed = load_trajectory(*folder_ / "motion.qtraj");
  EXPECT_NE(held_up.q[3], puffed.q[3]);
  // Both come to rest where the unreduced body does, whose place is in the basis.
  const ReducedModel model = load_model(*folder_ / "hollow.qrt");
  const Snapshots whole = load_snapshots(*folder_ / "inflated.qsnap");
  const auto expected = whole.displacements.map().col(0);
  for (const Trajectory& t : {held_up, puffed}) {
    const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(t.q.data() + 200 * t.rank, t.rank);
    EXPECT_LE((u - expected).norm(), 1e-3 * expected.norm());
  }
}

TEST_F(PressureCommand, MistakesAreTold) {
  const auto refused = [&](const std::string& arguments, int exit_code, const std::string& words) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments;
    EXPECT_NE(result.errors.find(words), std::string::npos) << result.errors;
  };
  const std::string solve = "solve hollow.msh " + held + " --static -o x.qsnap --pressure ";
  refused(solve + "gas=1", 1, "there is no chamber 'gas': the mesh's vertex sets are 'air' 'skin'");
  refused(solve + "skin=1", 1, "around the body");
  refused(solve + "air", 2, "NAME=Pa");
  refused(solve + "air=1 --pressure air=2", 2, "twice");
  refused(solve + "air=none.csv", 1, "can't be read");
  std::ofstream(*folder_ / "bad.csv") << "0,1\nx,y\n";
  refused(solve + "air=bad.csv", 1, "bad.csv:2");
  refused("simulate hollow.qrt --pressure gas=1 --steps 1 -o x.qtraj", 1, "it has: 'air'");
  run("reduce hollow.msh " + held + " --modes 3 --rank 3 -o plain.qrt");
  refused("simulate plain.qrt --pressure air=1 --steps 1 -o x.qtraj", 1, "reduce its mesh with --chamber");
}

}  // namespace
}  // namespace quartic
