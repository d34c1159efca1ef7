// `quartic world`: scenes, what comes out of them, and what they are refused with.
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

// Blocks of rubber, 0.3 x 0.2 x 0.15 m and 9 kg.
class WorldCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const auto [mesh, face] = make_box({.length = 0.3,
                                        .width = 0.2,
                                        .height = 0.15,
                                        .cells_x = 4,
                                        .cells_y = 3,
                                        .cells_z = 2,
                                        .material = {.youngs_modulus = 2e5, .poissons_ratio = 0.4, .density = 1000}});
    save_model(reduce(mesh, {}, {.modes = 4, .rank = 6}), *folder_ / "block.qrt");
    save_model(reduce(mesh, face, {.modes = 3, .rank = 5}), *folder_ / "held.qrt");
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& scene, const std::string& arguments) {
    std::ofstream(*folder_ / "scene.json") << scene;
    return run_quartic(folder_->path(), "world scene.json " + arguments);
  }
  static nlohmann::json report(const std::string& scene, const std::string& arguments) {
    const CommandResult result = run(scene, arguments + " --json");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.exit_code == 0 ? result.json() : nlohmann::json();
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline const std::string two_of = R"({"dt": 0.004, "steps": 60, "models": {"block": "block.qrt"},
 "bodies": [{"model": "block", "position": [0, 0, 0], "velocity": [0, 0, 1]},
            {"model": "block", "position": [0.05, 0.02, 0.2], "velocity": [0, 0, -1], "spin": [0, 2, 0]}],
 "contact": {"stiffness": 1e6}})";
  static inline const std::string heap = R"({"gravity": [0, 0, -9.81], "dt": 0.01, "steps": 40,
 "models": {"block": "block.qrt"}, "shapes": [{"plane": [0, 0, 1, 0]}],
 "bodies": [{"model": "block", "grid": [1, 2, 3], "spacing": [0.35, 0.25, 0.2], "position": [0, 0, 0.1],
             "jitter": 0.01, "seed": 3}], "contact": {"stiffness": 1e6, "dissipation": 1}})";
};

TEST_F(WorldCommand, MomentumStaysInAThrow) {
  const nlohmann::json found = report(two_of, "-o throw.glb -o throw.qtraj --contacts throw.csv");
  for (const char* of : {"momentum", "angular_momentum"})
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(found["end"][of][k].get<double>(), found["start"][of][k].get<double>(), 1e-11) << of;
  EXPECT_LT(found["end"]["kinetic_energy"], found["start"]["kinetic_energy"]);
  EXPECT_GT(found["contacts"]["most"], 3);
  EXPECT_EQ(found["flags"]["diverged"], 0);
  const Trajectory motion = load_trajectory(*folder_ / "throw.qtraj");
  EXPECT_EQ(motion.bodies, 2);
  EXPECT_EQ(motion.frames(), 61);
  EXPECT_EQ(motion.pose.size(), 61U * 2 * 7);
  EXPECT_GT(std::filesystem::file_size(*folder_ / "throw.glb"), 10000U);
  const std::string lines = test::file_text(*folder_ / "throw.csv");
  EXPECT_TRUE(lines.starts_with("time,body,other,shape,x,y,z,nx,ny,nz,gap,fx,fy,fz\n"));
  EXPECT_NE(lines.find(",0,1,,"), std::string::npos);
}

TEST_F(WorldCommand, AHeapGoesOnFromACheckpoint) {
  const nlohmann::json whole = report(heap, "-o whole.qtraj");
  EXPECT_EQ(whole["bodies"], 6);
  EXPECT_GT(whole["contacts"]["between_bodies"], 5);
  EXPECT_GT(whole["contacts"]["with_shapes"], 5);
  static_cast<void>(report(heap, "--steps 25 --checkpoint half.qstate -o first.qtraj"));
  static_cast<void>(report(heap, "--steps 15 --resume half.qstate -o second.qtraj"));
  const Trajectory one = load_trajectory(*folder_ / "whole.qtraj"), two = load_trajectory(*folder_ / "second.qtraj");
  EXPECT_TRUE(std::equal(one.pose.end() - 42, one.pose.end(), two.pose.end() - 42, two.pose.end()));
  EXPECT_TRUE(std::equal(one.q.end() - 36, one.q.end(), two.q.end() - 36, two.q.end()));
}

TEST_F(WorldCommand, PartsBodiesThatStartInsideEachOther) {
  std::string scene = two_of;
  scene.replace(scene.find("0.2]"), 4, "0.13]");
  for (std::size_t at; (at = scene.find("\"velocity\"")) != std::string::npos;)
    scene.erase(at - 2, scene.find(']', at) + 1 - (at - 2));
  const CommandResult parted = run(scene, "--json");
  ASSERT_EQ(parted.exit_code, 0) << parted.errors;
  EXPECT_NE(parted.errors.find("bodies 0 and 1 of the scene start inside each other, 0.02 m deep"), std::string::npos)
      << parted.errors;
  EXPECT_NEAR(parted.json()["contacts"]["overlap_at_start"].get<double>(), 0.02, 1e-6);
  scene.insert(1, "\"overlap\": \"refuse\", ");
  const CommandResult refused = run(scene, "");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("move them apart"), std::string::npos);
}

TEST_F(WorldCommand, ErrorsNameFileLineAndKey) {
  struct Wrong {
    const char *from, *to, *message;
  };
  for (const auto& [from, to, message] :
       {Wrong{"\"steps\"", "\"stops\"", "scene.json, line 1: stops: there is no such key; known are gravity"},
        Wrong{"\"model\": \"block\", \"position\": [0.05", "\"model\": \"ball\", \"position\": [0.05",
              "scene.json, line 3: bodies/1/model: there is no model 'ball'"},
        Wrong{"block.qrt", "none.qrt", "line 1: models/block: there is no file"},
        Wrong{"[0, 0, 1]", "[0, 0]", "line 2: bodies/0/velocity: must be 3 numbers, not 2"},
        Wrong{"[0, 0, 1]", "[0, 0, NaN]", "scene.json, line 2:"},
        Wrong{"[0, 0, 1]", "[0, 0, 1e999]", "scene.json, line 2:"},
        Wrong{"1e6", "-1", "line 4: contact/stiffness: must be a number above 0"},
        Wrong{"\"dt\": 0.004", "\"dt\": 0.004, \"dt\": 1", "line 1: the key 'dt' is there twice"},
        Wrong{"\"spin\": [0, 2, 0]", "\"jitter\": 1", "line 3: bodies/1/jitter: is for a grid"},
        Wrong{"block.qrt", "held.qrt", "held.qrt"}}) {
    std::string scene = two_of;
    scene.replace(scene.find(from), std::string(from).size(), to);
    const CommandResult result = run(scene, "");
    EXPECT_EQ(result.exit_code, 1) << to;
    EXPECT_NE(result.errors.find(message), std::string::npos) << to << ": " << result.errors;
  }
  EXPECT_EQ(run(two_of, "--steps 0").exit_code, 2);
  EXPECT_EQ(run(two_of, "-o motion.obj").exit_code, 2);
}

}  // namespace
}  // namespace quartic
