// quartic stream: two processes and a pipe, a file, and the report of what losses do.
#include <cmath>
#include <fstream>
#include <string>

#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/trajectory.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

class StreamCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const auto [mesh, fixed] = make_box({.length = 0.3, .width = 0.03, .height = 0.02, .cells_x = 6});
    save_model(reduce(mesh, fixed, {.modes = 6, .rank = 5}), *folder_ / "bar.qrt");
    save_model(reduce(mesh, fixed, {.modes = 3, .rank = 4}), *folder_ / "other.qrt");
    save_model(reduce(mesh, {}, {.modes = 6, .rank = 5}), *folder_ / "free.qrt");
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static CommandResult done(const std::string& arguments) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.errors;
    return result;
  }
  static void refused(const std::string& arguments, int exit_code, const std::string& words) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << '\n' << result.errors;
    EXPECT_NE(result.errors.find(words), std::string::npos) << arguments << '\n' << result.errors;
  }
  static double largest_difference(const std::string& a, const std::string& b) {
    const Trajectory one = load_trajectory(*folder_ / a), two = load_trajectory(*folder_ / b);
    EXPECT_EQ(one.q.size(), two.q.size());
    double worst = 0, largest = 0;
    for (std::size_t n = 0; n < std::min(one.q.size(), two.q.size()); ++n) {
      worst = std::max(worst, std::abs(one.q[n] - two.q[n]));
      largest = std::max(largest, std::abs(one.q[n]));
    }
    return worst / largest;
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

const std::string load = " --gravity 0,0,-9.81 --force 20,0,5,0,0,0.05 --bodies 2 --dt 0.002 --steps 150 ";

TEST_F(StreamCommand, SendsThroughAFile) {
  (void)done("simulate bar.qrt -o true.qtraj" + load);
  const nlohmann::json sent = done("stream bar.qrt --type fp64 --send a.qacc --json" + load).json();
  EXPECT_EQ(sent["steps"], 150);
  const nlohmann::json json = done("stream bar.qrt --bodies 2 --receive a.qacc -o received.qtraj --json").json();
  EXPECT_EQ(json["frames"], 151);
  EXPECT_EQ(json["packets"]["taken"], 150);
  EXPECT_EQ(json["guessed"], 0);
  EXPECT_LT(largest_difference("true.qtraj", "received.qtraj"), 1e-12);
  (void)done("stream bar.qrt --bodies 2 --receive a.qacc -o received.glb");
}

// Lost steps come again three steps later: two processes have the same motion at the end. With this seed, none of the
// last three is lost.
TEST_F(StreamCommand, SendsThroughAPipe) {
  (void)done("simulate bar.qrt -o true.qtraj" + load);
  const CommandResult result =
      run_quartic(folder_->path(), "stream bar.qrt --bodies 2 --receive - --recovery late -o piped.qtraj --json",
                  "'" + test::command_path() + "' stream bar.qrt --type fp64 --loss 0.05 --resend 3 --seed 2 --send -" +
                      load + " |");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json json = result.json();
  EXPECT_GT(json["packets"]["repaired"], 2);
  EXPECT_EQ(json["guessed"], 2 * json["packets"]["repaired"].get<int>());
  const Trajectory one = load_trajectory(*folder_ / "true.qtraj"), two = load_trajectory(*folder_ / "piped.qtraj");
  ASSERT_EQ(one.q.size(), two.q.size());
  double largest = 0;
  for (const double x : one.q) largest = std::max(largest, std::abs(x));
  for (std::size_t n = one.q.size() - 10; n < one.q.size(); ++n) EXPECT_NEAR(one.q[n], two.q[n], 1e-11 * largest);
}

TEST_F(StreamCommand, ReportsWhatLossesDo) {
  const nlohmann::json json =
      done("stream bar.qrt --loss 0.03 --burst 2 --resend 4 --type fp64 -o report.json --json" + load).json();
  EXPECT_EQ(json, nlohmann::json::parse(std::ifstream(*folder_ / "report.json")));
  EXPECT_GT(json["lost"], 0);
  const nlohmann::json& found = json["recoveries"];
  ASSERT_EQ(found.size(), 5U);
  EXPECT_LT(found["late"]["last_error"], 1e-10);
  EXPECT_GT(found["zero"]["last_error"], 100 * found["late"]["last_error"].get<double>());
  EXPECT_EQ(found["hold"]["guessed"], 2 * json["lost"].get<int>());
  ASSERT_EQ(json["distortions"].size(), 6U);
  for (const nlohmann::json& one : json["distortions"]) {
    const double k = one["steps"];
    EXPECT_NEAR(one["expected_q"], k == 0 ? 0.25 : k, 1e-12 * (1 + k));  // k h^2, over h^2
    EXPECT_NEAR(one["q"], one["expected_q"], 1e-9);
    EXPECT_NEAR(one["velocity"], one["expected_velocity"], 1e-9);
  }
  // Whole states bound what the others miss.
  const nlohmann::json bounded = done("stream bar.qrt --loss 0.03 --keyframe 10 --recovery hold --json" + load).json();
  EXPECT_EQ(bounded["recoveries"].size(), 1U);
  const std::string text = done("stream bar.qrt --loss 0.03" + load).output;
  EXPECT_NE(text.find("k = 10"), std::string::npos) << text;
}

TEST_F(StreamCommand, SendsLinearModesInAClosedLoop) {
  const std::string modal = " --dynamics modal --t60 100,0.5,3000,0.05" + load;
  (void)done("simulate bar.qrt -o modes.qtraj" + modal);
  (void)done("stream bar.qrt --closed-loop --type fp16 --send modes.qacc" + modal);
  (void)done("stream bar.qrt --dynamics modal --bodies 2 --receive modes.qacc -o received_modes.qtraj");
  EXPECT_EQ(load_trajectory(*folder_ / "received_modes.qtraj").coordinates, Coordinates::linear_modes);
  EXPECT_LT(largest_difference("modes.qtraj", "received_modes.qtraj"), 1e-3);
  refused("stream bar.qrt" + modal, 2, "--closed-loop");
}

TEST_F(StreamCommand, RefusesWhatItCantSendOrReceive) {
  (void)done("stream bar.qrt --send b.qacc" + load);
  refused("stream other.qrt --bodies 2 --receive b.qacc -o x.qtraj", 1, "--bodies");
  refused("stream bar.qrt --bodies 3 --receive b.qacc -o x.qtraj", 1, "whole state of all bodies");
  refused("stream bar.qrt --receive bar.qrt -o x.qtraj", 1, "whole state");
  refused("stream bar.qrt --receive none.qacc -o x.qtraj", 1, "none.qacc");
  refused("stream bar.qrt --receive b.qacc", 2, "-o");
  refused("stream bar.qrt --receive b.qacc --send c.qacc", 2, "two processes");
  refused("stream bar.qrt --substeps 3" + load, 2, "--substeps");
  refused("stream bar.qrt --recovery best" + load, 2, "interpolate");
  refused("stream bar.qrt --loss 1.5" + load, 2, "--loss");
  refused("stream free.qrt --gravity 0,0,-1", 1, "--hold-frame");
  refused("stream bar.qrt --integrator central-differences" + load, 1, "--closed-loop");
  refused("stream bar.qrt --send bar.qrt", 2, "bar.qrt");
  refused("stream bar.qrt --loss 0.6 --burst 1.4" + load, 2, "1.5");
  (void)done("stream bar.qrt --loss 0.6 --burst 1.5 --recovery zero" + load);
}

TEST_F(StreamCommand, RefusesOptionsThatItWouldIgnore) {
  (void)done("stream bar.qrt --send c.qacc" + load);
  const std::string receive = "stream bar.qrt --bodies 2 --receive c.qacc -o x.qtraj ";
  for (const std::string option : {"--gravity 0,0,-1", "--force 20,0,5,0", "--ramp 1", "--loss 0.1", "--closed-loop",
                                   "--type fp16", "--steps 5", "--dt 0.1", "--newton 2", "--rayleigh-mass 1"})
    refused(receive + option, 2, option.substr(0, option.find(' ')));
  (void)done(receive + "--resend 200 --delay 3 --recovery late");
  (void)done(receive + "--rayleigh-mass 1 --recovery model");
  for (const std::string option : {"--recovery zero", "--delay 1"})
    refused("stream bar.qrt --send d.qacc " + option + load, 2, option.substr(0, option.find(' ')));
  for (const std::string option : {"--integrator newmark", "--newton 2"})
    refused("stream bar.qrt --dynamics modal --closed-loop " + option + load, 2, option.substr(0, option.find(' ')));
}

// Steps that come later than a receiver's usual window are made up for all the same.
TEST_F(StreamCommand, TakesWhatComesAgainLate) {
  const std::string late = "stream bar.qrt --loss 0.02 --type fp64 --recovery late --json" + load;
  const nlohmann::json json = done(late + " --resend 100").json();
  EXPECT_EQ(json["recoveries"]["late"]["packets"]["late"], 0);
  EXPECT_GT(json["recoveries"]["late"]["packets"]["repaired"], 0);
  EXPECT_TRUE(json["warnings"].empty());
  const nlohmann::json never = done(late).json();
  ASSERT_EQ(never["warnings"].size(), 1U);
  EXPECT_NE(never["warnings"][0].get<std::string>().find("--resend"), std::string::npos);
}

TEST_F(StreamCommand, MakesNoExperimentOfOneStep) {
  const nlohmann::json json = done("stream bar.qrt --gravity 0,0,-9.81 --steps 1 --json").json();
  EXPECT_TRUE(json["distortions"].empty());
  EXPECT_EQ(done("stream bar.qrt --gravity 0,0,-9.81 --steps 2 --json").json()["distortions"].size(), 2U);
}

}  // namespace
}  // namespace quartic
