// The command's warped motions: simulate and export --warp.
#include <cmath>
#include <string>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/trajectory.hpp"
#include "quartic/warping.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;

class WarpedCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const auto [mesh, fixed] = make_box({.length = 0.3, .width = 0.03, .height = 0.02, .cells_x = 8});
    save_model(reduce(mesh, fixed, {.modes = 5, .energy = false}), *folder_ / "bar.qrt");
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return test::run_quartic(folder_->path(), arguments); }
  static CommandResult done(const std::string& arguments) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.errors;
    return result;
  }
  /// The last state of a fall by about a radian, in so many steps.
  static std::vector<double> fallen(const std::string& warp, int steps, const std::string& load) {
    (void)done("simulate bar.qrt --dynamics modal -o fall.qtraj --rayleigh-mass 3 --steps 1 --dt 0.02 --substeps " +
               std::to_string(steps) + " --warp " + warp + load);
    const Trajectory motion = load_trajectory(*folder_ / "fall.qtraj");
    return {motion.q.end() - 5, motion.q.end()};
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST_F(WarpedCommand, LoadsActOnTheWarpedShapeToSecondOrder) {
  const std::string load = " --gravity 0,0,-4000";
  const auto exact = fallen("modal", 640, load), coarse = fallen("modal", 20, load), fine = fallen("modal", 40, load);
  EXPECT_NEAR(distance(coarse, exact) / distance(fine, exact), 4, 0.5);
  EXPECT_GT(distance(exact, fallen("none", 1, load)), 0.02 * distance(exact, std::vector<double>(5)));
  // Of small motions forces stay those of rest, whatever the step.
  const auto slight = fallen("modal", 3, " --gravity 0,0,-0.001"), linear = fallen("none", 1, " --gravity 0,0,-0.001");
  EXPECT_LT(distance(slight, linear), 1e-5 * distance(linear, std::vector<double>(5)));
}

TEST_F(WarpedCommand, GoesOnFromACheckpointToTheBit) {
  const std::string how = " --dynamics modal --warp modal --gravity 0,0,-1000 --rayleigh-mass 2 --dt 0.003 --steps ";
  (void)done("simulate bar.qrt -o whole.qtraj" + how + "8");
  (void)done("simulate bar.qrt --checkpoint half.qstate" + how + "4");
  (void)done("simulate bar.qrt --resume half.qstate -o rest.qtraj" + how + "4");
  const auto whole = load_trajectory(*folder_ / "whole.qtraj").q, rest = load_trajectory(*folder_ / "rest.qtraj").q;
  EXPECT_EQ(std::vector<double>(whole.end() - 5, whole.end()), std::vector<double>(rest.end() - 5, rest.end()));
}

TEST_F(WarpedCommand, FilesKeepTheWarpThroughExport) {
  const auto json = done(
                        "simulate bar.qrt --dynamics modal --warp rotation-strain --gravity 0,0,-1000 --steps 3 "
                        "--bodies 2 --json -o two.qtraj -o two.glb -o two.usda -o two.pvd --plot two.svg")
                        .json();
  EXPECT_EQ(json["warp"], "rotation-strain");
  EXPECT_EQ(load_trajectory(*folder_ / "two.qtraj").warp, Warp::rotation_strain);
  EXPECT_NE(test::file_text(*folder_ / "two.usda").find("points.timeSamples"), std::string::npos);
  (void)done("export bar.qrt two.qtraj --body 1 -o one.mdd -o one.glb");
  (void)done("export bar.qrt two.qtraj --body 0 --warp none -o linear.mdd");
  EXPECT_NE(test::file_text(*folder_ / "one.mdd"), test::file_text(*folder_ / "linear.mdd"));
}

TEST_F(WarpedCommand, RefusesWhatDoesNotGoTogether) {
  (void)done("simulate bar.qrt --dynamics modal --warp modal --steps 2 -o m.qtraj");
  for (const auto& [arguments, exit_code, message] :
       {test::Case{"simulate bar.qrt --warp modal -o a.glb", 2, "--dynamics modal"},
        test::Case{"simulate bar.qrt --dynamics modal --warp some -o a.glb", 2, "--warp"},
        test::Case{"export bar.qrt m.qtraj --usd blend-shapes -o a.usda", 1, "--usd points"}}) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << '\n' << result.errors;
    EXPECT_NE((result.errors + result.output).find(message), std::string::npos) << arguments << '\n' << result.errors;
  }
}

TEST_F(WarpedCommand, TellsOfRotationsBeyondAHalfTurn) {
  const CommandResult far = done(
      "simulate bar.qrt --dynamics modal --warp modal --force 0,0,0,1e5 --force 8,0,0,1e5 --gravity 0,0,-3e5 --steps 5 "
      "--dt 0.01 -o far.qtraj");
  EXPECT_NE(far.errors.find("rotation-strain"), std::string::npos) << far.errors;
}

}  // namespace
}  // namespace quartic
