// What commands tell of bodies that leave their model's range, of steps that don't converge, and of forces on fixed
// vertices.
#include <algorithm>
#include <cmath>
#include <vector>

#include "quartic/quartic.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

class RangeCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);  // Mesa leaks a little when it is unloaded
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(run("make beam --resolution 10 -o beam.veg").exit_code, 0);
    ASSERT_EQ(run("reduce beam.veg --fix beam.bou --modes 6 --rank 12 -o beam.qrt").exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments, const std::string& before = "") {
    return run_quartic(folder_->path(), arguments, before);
  }
  static inline test::TemporaryFolder* folder_ = nullptr;

  static constexpr const char* crushed = "--gravity -4000,100,150 --steps 40 --dt 0.005 --substeps 2 --rayleigh-mass 1";
};

struct Inverted {
  std::int64_t most = 0;
  double since = 0;
};

// Counted in every frame of the file.
Inverted count(const ReducedModel& model, const Trajectory& motion, std::int64_t body = 0) {
  Inverted result;
  for (std::int64_t frame = 0; frame < motion.frames(); ++frame) {
    const double* q = motion.q.data() + (frame * motion.bodies + body) * motion.rank;
    const Eigen::VectorXd u = model.basis.map() * Eigen::VectorXd::Map(q, motion.rank);
    const std::int64_t inverted = inverted_elements(model.mesh, {u.data(), static_cast<std::size_t>(u.size())});
    if (inverted > 0 && result.most == 0) result.since = motion.time[static_cast<std::size_t>(frame)];
    result.most = std::max(result.most, inverted);
  }
  return result;
}

bool warns(const nlohmann::json& report, const std::string& word) {
  return std::ranges::any_of(report["warnings"], [&](const nlohmann::json& warning) {
    return warning.get<std::string>().find(word) != std::string::npos;
  });
}

TEST_F(RangeCommand, SimulateTellsWhenAndHowManyElementsAreInsideOut) {
  const CommandResult result = run(std::string("simulate beam.qrt --bodies 2 --json -o crushed.qtraj ") + crushed);
  ASSERT_EQ(result.exit_code, 0) << result.errors;  // as for bodies that were regularised
  const nlohmann::json report = result.json();
  const Trajectory motion = load_trajectory(*folder_ / "crushed.qtraj");
  const Inverted expected = count(load_model(*folder_ / "beam.qrt"), motion);
  ASSERT_GT(expected.most, 0);
  EXPECT_EQ(report["inverted_elements"], expected.most);
  EXPECT_EQ(report["inverted_since"], expected.since);
  EXPECT_LE(report["strained_since"].get<double>(), expected.since);
  EXPECT_EQ(report["flags"]["inverted"], 2);
  EXPECT_EQ(report["flags"]["strained"], 2);
  EXPECT_EQ(report["flags"]["not_converged"], 0);
  EXPECT_TRUE(warns(report, "in 2 of 2 bodies")) << report;
  EXPECT_TRUE(warns(report, "turned inside out")) << report;
  EXPECT_TRUE(warns(report, "smaller load")) << report;
  EXPECT_EQ(motion.flags, std::vector<BodyFlags>(2, out_of_range));
  const CommandResult text = run(std::string("simulate beam.qrt -o crushed.csv ") + crushed);
  EXPECT_NE(text.output.find("out of range"), std::string::npos) << text.output;
  EXPECT_NE(text.errors.find("warning: from "), std::string::npos) << text.errors;
}

TEST_F(RangeCommand, NothingIsToldOfMotionsInRange) {
  const CommandResult result = run("simulate beam.qrt --gravity 0,0,-9.81 --steps 20 --json -o small.qtraj");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["inverted_elements"], 0);
  EXPECT_TRUE(report["inverted_since"].is_null());
  EXPECT_TRUE(report["strained_since"].is_null());
  EXPECT_TRUE(report["warnings"].empty()) << report;
  EXPECT_TRUE(load_trajectory(*folder_ / "small.qtraj").flags.empty());
}

// A pull is no compression, but no small strain either.
TEST_F(RangeCommand, StretchedBodiesAreTold) {
  const CommandResult result =
      run("simulate beam.qrt --gravity 100000,0,0 --steps 20 --dt 0.002 --substeps 4 --rayleigh-mass 50 --json "
          "-o stretched.qtraj");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_EQ(report["flags"]["strained"], 1) << report;
  EXPECT_TRUE(report["strained_since"].is_number());
  EXPECT_FALSE(report["warnings"].empty());
}

TEST_F(RangeCommand, ExportLooksAtTheMotionItself) {
  ASSERT_EQ(run(std::string("simulate beam.qrt -o told.qtraj ") + crushed).exit_code, 0);
  Trajectory motion = load_trajectory(*folder_ / "told.qtraj");
  const Inverted expected = count(load_model(*folder_ / "beam.qrt"), motion);
  motion.flags.clear();  // as an older version wrote it
  save_trajectory(motion, *folder_ / "old.qtraj");
  for (const char* file : {"told.qtraj", "old.qtraj"}) {
    const CommandResult result = run(std::string("export beam.qrt ") + file + " --json -o x.csv");
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.json()["inverted_elements"], expected.most);
    EXPECT_EQ(result.json()["inverted_since"], expected.since);
    EXPECT_TRUE(warns(result.json(), "turned inside out"));
  }
}

TEST_F(RangeCommand, DisplacementsThatAreNotFiniteAreNotCounted) {
  const ReducedModel model = load_model(*folder_ / "beam.qrt");
  Trajectory motion;
  motion.bodies = 1;
  motion.rank = model.rank();
  motion.time = {0, 0.25};
  motion.q.assign(static_cast<std::size_t>(motion.rank), 0);
  motion.q.insert(motion.q.end(), static_cast<std::size_t>(motion.rank), 1e308);
  motion.status = {BodyStatus::ok};
  save_trajectory(motion, *folder_ / "wide.qtraj");
  const CommandResult result = run("export beam.qrt wide.qtraj --json -o x.csv");
  const nlohmann::json report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["inverted_elements"], 0);
  EXPECT_EQ(report["inverted_since"], 0.25);
  EXPECT_TRUE(warns(report, "not counted: no displacement is finite")) << report;
}

TEST_F(RangeCommand, CompareTellsOfTheReducedBodyToo) {
  const CommandResult result =
      run("compare beam.qrt --ranks 12 --gravity -4000,100,150 --steps 40 --dt 0.005 --substeps 2 --rayleigh-mass 1 "
          "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_EQ(run(std::string("simulate beam.qrt -o same.qtraj ") + crushed).exit_code, 0);
  const Inverted expected = count(load_model(*folder_ / "beam.qrt"), load_trajectory(*folder_ / "same.qtraj"));
  EXPECT_EQ(result.json()["rows"][0]["inverted_elements"], expected.most) << result.output;
  EXPECT_TRUE(warns(result.json(), "at rank 12: from ")) << result.output;
}

TEST_F(RangeCommand, StepsThatDoNotConvergeAreTold) {
  const CommandResult result =
      run("simulate beam.qrt --integrator energy-conserving --gravity -300000,0,0 --steps 10 --dt 0.1 --json -o "
          "wild.qtraj");
  const nlohmann::json report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["flags"]["not_converged"], 1) << report;
  EXPECT_TRUE(warns(report, "didn't converge")) << report;
  EXPECT_TRUE(has_any(load_trajectory(*folder_ / "wild.qtraj").flags.at(0), BodyFlags::not_converged));
}

TEST_F(RangeCommand, ForcesOnFixedVerticesAreNamedByEveryCommand) {
  const std::vector<std::int32_t> fixed = load_model(*folder_ / "beam.qrt").fixed_vertices;
  const std::string vertex = std::to_string(fixed.at(1));
  const std::string force = " --force " + vertex + ",0,0,1 ";
  std::vector<std::string> commands = {"simulate beam.qrt --steps 2 -o x.csv" + force,
                                       "compare beam.qrt --steps 2 --force 98,0,0,1" + force,
                                       "solve beam.veg --fix beam.bou --steps 2 -o x.qsnap" + force};
#ifdef QUARTIC_HAS_VIEWER
  commands.push_back("view beam.qrt --frames 1 --screenshot x.png --size 32x32" + force);
#endif
  for (const std::string& command : commands) {
    const CommandResult result = run(command + "--json");
    ASSERT_EQ(result.exit_code, 0) << command << ": " << result.errors;
    EXPECT_TRUE(warns(result.json(), "vertex " + vertex + " is fixed")) << command << ": " << result.output;
    EXPECT_NE(result.errors.find("vertex " + vertex + " is fixed"), std::string::npos) << command;
  }
}

#ifdef QUARTIC_HAS_VIEWER

TEST_F(RangeCommand, ViewTellsOfWhatItShows) {
  ASSERT_EQ(run(std::string("simulate beam.qrt -o shown.qtraj ") + crushed).exit_code, 0);
  const Trajectory motion = load_trajectory(*folder_ / "shown.qtraj");
  const Inverted expected = count(load_model(*folder_ / "beam.qrt"), motion);
  const CommandResult shown = run("view beam.qrt --motion shown.qtraj --screenshot x.png --size 32x32 --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_EQ(shown.json()["inverted_elements"], expected.most);
  EXPECT_EQ(shown.json()["inverted_since"], expected.since);
  const CommandResult simulated =
      run("view beam.qrt --gravity -4000,100,150 --frames 40 --dt 0.005 --substeps 2 --rayleigh-mass 1 --screenshot "
          "x%d.png "
          "--size 32x32 --json");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.errors;
  EXPECT_GT(simulated.json()["inverted_elements"], 0);
  EXPECT_NEAR(simulated.json()["inverted_since"].get<double>(), expected.since, 0.011) << "another evaluation";
  EXPECT_EQ(simulated.json()["flags"]["inverted"], 1);
  EXPECT_TRUE(warns(simulated.json(), "turned inside out"));
}

#endif

}  // namespace
}  // namespace quartic
