// The command's relaxed strains: reduce, info, simulate and compare.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "quartic/editing.hpp"
#include "quartic/model.hpp"
#include "quartic/relaxation.hpp"
#include "quartic/supports.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

class RelaxCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 --relax 0.9 -o beam.qrt").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 -o locked.qrt").exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

TEST_F(RelaxCommand, ReduceTellsWhatIsRelaxed) {
  const CommandResult result =
      run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 --relax 0.9 --region-parts --json -o again.qrt");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json()["relaxation"];
  const ReducedModel model = load_model(*folder_ / "again.qrt");
  ASSERT_TRUE(model.relaxation);
  EXPECT_EQ(report["share"], 0.9);
  EXPECT_EQ(report["fields"], model.relaxation->field_count());
  EXPECT_EQ(report["reach"], model.relaxation->reach);
  EXPECT_EQ(report["region_parts"], true);
  EXPECT_TRUE(report["calibration"].empty());
  EXPECT_TRUE(
      run("reduce beam.veg --fix beam.bou --modes 2 --rank 2 --json -o off.qrt").json()["relaxation"].is_null());
}

TEST_F(RelaxCommand, ReduceChoosesVectorsByEnergy) {
  const std::string reduce = "reduce beam.veg --fix beam.bou --modes 4 --rank 8 --stiff-share ";
  ASSERT_EQ(run(reduce + "0.25 -o stiff.qrt").exit_code, 0);
  const ReducedModel stiff = load_model(*folder_ / "stiff.qrt"), plain = load_model(*folder_ / "locked.qrt");
  const auto difference = (stiff.basis.map() - plain.basis.map()).cwiseAbs().colwise().maxCoeff().eval();
  EXPECT_LT(difference.head(6).maxCoeff(), 1e-10);
  EXPECT_GT(difference.tail(2).minCoeff(), 1e-3);
  EXPECT_EQ(run(reduce + "1.5 -o no.qrt").exit_code, 2);
}

TEST_F(RelaxCommand, AutomaticTellsItsLoads) {
  const CommandResult result =
      run("reduce beam.veg --fix beam.bou --modes 4 --rank 8 --relax automatic --json -o automatic.qrt");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.json()["relaxation"]["calibration"].size(), 16U);
}

TEST_F(RelaxCommand, InfoHasTheSharesOfNaturalStates) {
  const nlohmann::json states = run("info beam.qrt --json").json()["relaxation"]["natural_states"];
  ASSERT_EQ(states.size(), 4U);
  for (const nlohmann::json& state : states) {
    EXPECT_GT(state["median_relaxable_share"], 0);
    EXPECT_LT(state["median_relaxable_share"], 1);
  }
  EXPECT_TRUE(run("info locked.qrt --json").json()["relaxation"].is_null());
}

TEST_F(RelaxCommand, SimulateFlagsBodiesBeyondTheReach) {
  const std::string motion = "--steps 20 --dt 0.02 --substeps 4 --rayleigh-mass 2 --estimate --json -o motion.qtraj";
  const nlohmann::json gentle = run("simulate beam.qrt --bodies 2 --gravity 0,0,-1 " + motion).json();
  ASSERT_EQ(gentle["estimate"]["relaxable_share"].size(), 2U);
  EXPECT_GT(gentle["estimate"]["relaxable_share"][1], 0);
  EXPECT_TRUE(gentle["estimate"]["beyond_reach"].empty());
  ReducedModel model = load_model(*folder_ / "beam.qrt");
  model.relaxation->reach *= 1e-12;
  save_model(model, *folder_ / "short.qrt");
  const nlohmann::json wild = run("simulate short.qrt --bodies 2 --gravity 0,0,-1 " + motion).json();
  EXPECT_EQ(wild["estimate"]["beyond_reach"], nlohmann::json({0, 1}));
  EXPECT_TRUE(std::ranges::any_of(wild["warnings"], [](const nlohmann::json& warning) {
    return warning.get<std::string>().find("reach") != std::string::npos;
  }));
  // What diverged is beyond any reach, though its last finite state may not be.
  const CommandResult diverged = run("simulate beam.qrt --gravity 0,0,-1e300 " + motion);
  EXPECT_EQ(diverged.exit_code, 3);
  EXPECT_EQ(diverged.json()["estimate"]["beyond_reach"], nlohmann::json({0}));
  const CommandResult locked = run("simulate locked.qrt --gravity 0,0,-1 --estimate -o motion.qtraj");
  EXPECT_EQ(locked.exit_code, 1);
  EXPECT_NE(locked.errors.find("--relax"), std::string::npos);
}

TEST_F(RelaxCommand, CompareTakesSharesAlone) {
  for (const char* list : {"''", "0,,1", "own", "0,2", "0.5,"}) {
    const CommandResult result = run("compare beam.qrt --static --gravity 0,0,-9.81 --relax " + std::string(list));
    EXPECT_EQ(result.exit_code, 2) << list << result.errors;
    EXPECT_NE(result.errors.find("--relax takes shares from 0 to 1 with commas between"), std::string::npos)
        << list << result.errors;
  }
}

TEST_F(RelaxCommand, ComparePrintsErrorsSideBySide) {
  const nlohmann::json rows =
      run("compare beam.qrt --static --gravity 0,0,-9.81 --ranks 8 --relax 0,0.9 --json").json()["rows"];
  ASSERT_EQ(rows.size(), 2U);
  const nlohmann::json locked =
      run("compare locked.qrt --static --gravity 0,0,-9.81 --ranks 8 --json").json()["rows"][0];
  EXPECT_EQ(rows[0]["relaxed_share"], 0);
  EXPECT_NEAR(rows[0]["error"], double{locked["error"]}, 1e-8);
  EXPECT_NEAR(rows[1]["unrelaxed_error"], double{locked["error"]}, 1e-8);
  EXPECT_LT(rows[1]["error"], double{rows[1]["unrelaxed_error"]});
  EXPECT_FALSE(locked.contains("relaxed_share"));
  EXPECT_NE(run("compare locked.qrt --static --gravity 0,0,-9.81 --relax 0.5").exit_code, 0);
  const nlohmann::json made =
      run("compare locked.qrt --static --gravity 0,0,-9.81 --modes 4 --ranks 8 --relax 0.9 --json").json()["rows"];
  EXPECT_LT(made[0]["error"], double{made[0]["unrelaxed_error"]});
}

// What is dropped may follow, as in a model of that rank.
TEST_F(RelaxCommand, CompareRelaxesOtherRanksAnew) {
  ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 4 --rank 5 --relax 0.9 -o five.qrt").exit_code, 0);
  const std::string how = " --static --gravity 0,0,-9.81 --ranks 5 --json";
  const nlohmann::json cut = run("compare beam.qrt" + how).json()["rows"][0];
  const nlohmann::json five = run("compare five.qrt" + how).json()["rows"][0];
  EXPECT_EQ(cut["relaxed_share"], 0.9);
  EXPECT_NEAR(cut["error"], double{five["error"]}, 1e-6 * double{five["error"]});
  EXPECT_NEAR(cut["unrelaxed_error"], double{five["unrelaxed_error"]}, 1e-6 * double{five["unrelaxed_error"]});
}

TEST_F(RelaxCommand, RelaxesABodyWithSprings) {
  VolumeMesh mesh = load_model(*folder_ / "locked.qrt").mesh;
  const std::vector<std::int32_t> end = vertices_in_box(mesh, {1, 0, 0, 1, 1, 1});
  mesh.springs = springs_to_ground(mesh, end, 30);
  const std::vector<std::int32_t> held = load_model(*folder_ / "locked.qrt").fixed_vertices;
  ReduceReport report;
  const ReducedModel model =
      reduce(mesh, held, {.modes = 4, .rank = 8, .region_parts = true, .relax = {.share = 0.9}}, &report);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("no parts per region"), std::string::npos);
  save_model(model, *folder_ / "sprung.qrt");
  const nlohmann::json row = run("compare sprung.qrt --static --gravity 0,0,-9.81 --ranks 8 --json").json()["rows"][0];
  EXPECT_LT(row["error"], 0.9 * double{row["unrelaxed_error"]});
  // Other constants: back to the unrelaxed energy, as a notice says; other densities keep what there is.
  std::vector<Material> materials = {*model.mesh.regions[0].material};
  materials[0].density *= 2;
  EXPECT_TRUE(edit_materials(model, materials).relaxation);
  materials[0].youngs_modulus *= 2;
  const MaterialEdit edit = edit_materials(model, materials);
  EXPECT_FALSE(edit.relaxation);
  ASSERT_EQ(edit.notices.size(), 1U);
  EXPECT_NE(edit.notices[0].find("springs keep"), std::string::npos) << edit.notices[0];
}

TEST_F(RelaxCommand, RelaxesBasesOfSketchesAndSnapshots) {
  const VolumeMesh mesh = load_model(*folder_ / "locked.qrt").mesh;
  const std::string tip = std::to_string(vertices_in_box(mesh, {1, 0, 0, 1, 1, 1}).back()),
                    middle = std::to_string(vertices_in_box(mesh, {0.45, 0, 0, 0.55, 1, 1}).back());
  std::ofstream(*folder_ / "pulls.csv") << "time,vertex,fx,fy,fz\n1," << tip << ",0,0,-40\n2," << tip << ",0,0,-80\n3,"
                                        << tip << ",0,30,-40\n4," << tip << ",0,60,-80\n5," << middle << ",0,0,-100\n6,"
                                        << middle << ",0,0,-200\n";
  const std::string sketch =
      "sketch beam.veg --fix beam.bou --forces pulls.csv --jobs 1 --load-separation 0 "
      "--separation 0 --rank 6 --json ";
  const CommandResult sketched = run(sketch + "--snapshots pulled.qsnap --relax 0.9 -o sketch.qrt");
  ASSERT_EQ(sketched.exit_code, 0) << sketched.errors;
  EXPECT_EQ(sketched.json()["relaxation"]["share"], 0.9);
  const CommandResult snapped =
      run("reduce beam.veg --fix beam.bou --snapshots pulled.qsnap --separation 0 --rank 6 --relax 0.9 --json -o "
          "snapped.qrt");
  ASSERT_EQ(snapped.exit_code, 0) << snapped.errors;
  EXPECT_EQ(snapped.json()["relaxation"], sketched.json()["relaxation"]);
  ASSERT_EQ(run(sketch + "-o plain.qrt").exit_code, 0);
  const auto row = [&](const std::string& model) {
    return nlohmann::json(
        run("compare " + model + " --static --force " + tip + ",0,0,-60 --ranks 6 --json").json()["rows"][0]);
  };
  const double plain = row("plain.qrt")["error"];
  EXPECT_NEAR(row("sketch.qrt")["unrelaxed_error"], plain, 1e-6 * plain);
  EXPECT_NE(row("sketch.qrt")["error"], plain);
  // Such a basis holds the answers to its own loads: nothing is gained there.
  const CommandResult automatic = run(sketch + "--relax automatic --relax-loads pulls.csv -o automatic.qrt");
  ASSERT_EQ(automatic.exit_code, 0) << automatic.errors;
  EXPECT_EQ(automatic.json()["relaxation"]["share"], 0);
  const CommandResult free = run("reduce beam.veg --free --snapshots pulled.qsnap --rank 4 --relax 0.9 -o free.qrt");
  EXPECT_EQ(free.exit_code, 0) << free.errors;
  EXPECT_EQ(run("sketch beam.veg --fix beam.bou --forces pulls.csv --relax-loads pulls.csv -o no.qrt").exit_code, 2);
}

TEST_F(RelaxCommand, RefusesWhatIsNoShare) {
  for (const char* relax : {"much", "1.5", "-1", "nan", "0.5,0.6"})
    EXPECT_EQ(run(std::string("reduce beam.veg --fix beam.bou --relax ") + relax + " -o no.qrt").exit_code, 2) << relax;
  EXPECT_EQ(run("reduce beam.veg --fix beam.bou --relax 0.5 --relax-loads loads.csv -o no.qrt").exit_code, 2);
}

}  // namespace
}  // namespace quartic
