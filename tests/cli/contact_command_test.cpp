// Contacts of `quartic simulate`: --ground, --collider, and what they are refused with.
#include <cmath>
#include <fstream>
#include <string>

#include "quartic/frame_moments.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/trajectory.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

// A block of rubber, 0.3 x 0.2 x 0.15 m and 9 kg, that flies, and one that is held at x = 0.
class ContactCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const auto [mesh, face] = make_box({.length = 0.3,
                                        .width = 0.2,
                                        .height = 0.15,
                                        .cells_x = 4,
                                        .cells_y = 3,
                                        .cells_z = 2,
                                        .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.4, .density = 1000}});
    const ReducedModel free = reduce(mesh, {}, {.modes = 4, .rank = 6});
    save_model(free, *folder_ / "free.qrt");
    save_model(reduce(mesh, face, {.modes = 3, .rank = 5}), *folder_ / "held.qrt");
    weight_ = 9.81 * free_frame(free).mass;
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static nlohmann::json report(const std::string& arguments) {
    const CommandResult result = run("simulate " + arguments + " --json -o motion.qtraj");
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.errors;
    return result.exit_code == 0 ? result.json() : nlohmann::json();
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
  static inline double weight_ = 0;
  static inline const std::string falling =
      "free.qrt --gravity 0,0,-9.81 --integrator backward-euler --rayleigh-mass 40 --rayleigh-stiffness 2e-3 --dt "
      "0.01 ";
};

// Its lower side is in the plane z = 0 at first.
TEST_F(ContactCommand, TheGroundBearsTheWeight) {
  const std::string settings = "--friction 0 --contact-stiffness 1e6 --contact-dissipation 5 --steps 150 ";
  const nlohmann::json none = report(falling + "--steps 2");
  EXPECT_FALSE(none.contains("contacts"));
  for (const std::string& ground :
       {std::string("--ground"), std::string("--ground -0.25"), std::string("--collider 'box 5,5,0.5 at 0,0,-0.5'")}) {
    const double height = ground.ends_with("-0.25") ? -0.25 : 0;
    const std::string start =
        " --pose 0,0," + std::to_string(height + 0.075) + ",0,0,0,1 --bodies 2 --contact-spacing 0.03 ";
    const nlohmann::json found = report(falling + settings + ground + start)["contacts"];
    EXPECT_EQ(found["bodies"], 2) << ground;
    EXPECT_GE(found["points"], 2 * 20) << ground;
    EXPECT_NEAR(found["force"][2], 2 * weight_, 1e-4 * weight_) << ground;
    EXPECT_LT(std::abs(found["force"][0].get<double>()), 1e-6 * weight_) << ground;
    // At least by the weight over stiffness and area; less than twice that, since there was no fall.
    EXPECT_LT(found["deepest_gap"], -0.9 * weight_ / (1e6 * 0.06)) << ground;
    EXPECT_GT(found["deepest_gap"], -3 * weight_ / (1e6 * 0.06)) << ground;
    EXPECT_NEAR(found["since"], 0.01, 1e-12) << ground;
    const Trajectory motion = load_trajectory(*folder_ / "motion.qtraj");
    EXPECT_NEAR(motion.pose[motion.pose.size() - 5], height + 0.075, 0.01) << ground;
  }
}

// By hand: v = mu g t on a belt that is faster, and what a moving ball pushes.
TEST_F(ContactCommand, CollidersMoveAtTheirTwist) {
  const std::string start = "--pose 0,0,0.075,0,0,0,1 --steps 10 ";
  report(falling + start + "--friction 0.3 --contact-stiffness 1e7 --collider 'plane 0,0,1,0 velocity 5,0,0'");
  const Trajectory belt = load_trajectory(*folder_ / "motion.qtraj");
  EXPECT_NEAR(belt.twist[belt.twist.size() - 6], 0.3 * 9.81 * 0.1, 0.05);
  const nlohmann::json lifted = report(
      "held.qrt --integrator backward-euler --dt 0.01 --steps 50 --rayleigh-mass 20 --collider "
      "'sphere 0.05 at 0.25,0.1,-0.06 velocity 0,0,0.1' --contact-spacing 0.01");
  EXPECT_NEAR(lifted["contacts"]["since"], 0.11, 0.011) << "1 cm at 0.1 m/s";
  EXPECT_GT(lifted["contacts"]["force"][2], 1);
  const nlohmann::json missed = report(
      "held.qrt --integrator backward-euler --dt 0.01 --steps 5 --collider 'capsule 0.01,0.2 at 0.25,0.1,1 spin "
      "1,0,0'");
  EXPECT_TRUE(missed["contacts"]["since"].is_null());
  EXPECT_EQ(missed["contacts"]["deepest_gap"], 0);
}

TEST_F(ContactCommand, MeshesAreColliders) {
  std::ofstream file(*folder_ / "a wedge.obj");
  file << "v -9 -9 0\nv 9 -9 0\nv 0 9 0\nv 0 0 -9\nf 1 2 3\nf 2 1 4\nf 3 2 4\nf 1 3 4\n";
  file.close();
  const std::string start = "--pose 0,0,0.075,0,0,0,1 --steps 100 --contact-stiffness 1e6 --contact-dissipation 5 ";
  const nlohmann::json found = report(falling + start + "--collider 'mesh a wedge.obj at 0,0,-0.01'")["contacts"];
  EXPECT_NEAR(found["force"][2], weight_, 1e-2 * weight_);
  std::ofstream(*folder_ / "open.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const CommandResult open = run("simulate free.qrt --integrator backward-euler --collider 'mesh open.obj' -o x.csv");
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_NE(open.errors.find("--collider 'mesh open.obj'"), std::string::npos) << open.errors;
}

// A ball that comes up under a held block, goes down and comes again, from a file.
TEST_F(ContactCommand, CollidersMoveAlongPoses) {
  std::ofstream(*folder_ / "up.csv") << "time,x,y,z\n0,0.25,0.1,-0.06\n0.1,0.25,0.1,-0.06\n0.2,0.25,0.1,-0.04\n"
                                        "0.3,0.25,0.1,-0.07\n0.5,0.25,0.1,-0.03\n";
  const std::string start = "held.qrt --integrator backward-euler --dt 0.01 --rayleigh-mass 20 --contact-spacing 0.01 ";
  const std::string ball = "--collider 'sphere 0.05 poses up.csv' ";
  const nlohmann::json first = report(start + ball + "--steps 20")["contacts"];
  EXPECT_NEAR(first["since"], 0.15, 0.011);
  EXPECT_GT(first["force"][2], 1);
  EXPECT_EQ(report(start + ball + "--steps 30")["contacts"]["points"], 0) << "down";
  const nlohmann::json held = report(start + ball + "--steps 90")["contacts"];
  EXPECT_GT(held["force"][2], 1) << "stays at the last pose";
}

// The same ball on a node's way, in a file in which another one moves, too.
TEST_F(ContactCommand, CollidersMoveAsANodeOfGltfDoes) {
  const std::vector<float> numbers = {0,     0.1F, 0.2F,                                              // times
                                      0.25F, 0.1F, -0.06F, 0.25F, 0.1F, -0.06F, 0.25F, 0.1F, -0.04F,  // the ball
                                      5,     5,    5,      6,     6,    6,      7,     7,    7};      // a lamp
  std::ofstream(*folder_ / "moves.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(4 * numbers.size()));
  std::ofstream(*folder_ / "moves.gltf")
      << R"({"asset":{"version":"2.0"},"buffers":[{"uri":"moves.bin","byteLength":84}],
    "bufferViews":[{"buffer":0,"byteLength":12},{"buffer":0,"byteOffset":12,"byteLength":36},{"buffer":0,"byteOffset":48,"byteLength":36}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR"},
      {"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":2,"componentType":5126,"count":3,"type":"VEC3"}],
    "nodes":[{"name":"the ball"},{"name":"lamp"},{"name":"table"}],
    "animations":[{"samplers":[{"input":0,"output":1},{"input":0,"output":2}],"channels":[
      {"sampler":0,"target":{"node":0,"path":"translation"}},{"sampler":1,"target":{"node":1,"path":"translation"}}]}]})";
  const std::string start = "held.qrt --integrator backward-euler --dt 0.01 --rayleigh-mass 20 --contact-spacing 0.01 ";
  const auto with = [&](const std::string& poses) { return "--collider 'sphere 0.05 poses " + poses + "' "; };
  const nlohmann::json found = report(start + with("moves.gltf node the ball") + "--steps 20")["contacts"];
  EXPECT_NEAR(found["since"], 0.15, 0.011);
  EXPECT_GT(found["force"][2], 1);
  const nlohmann::json missed = report(start + with("moves.gltf node lamp") + "--steps 5")["contacts"];
  EXPECT_TRUE(missed["since"].is_null());
  const auto refused = [&](const std::string& poses, const std::string& words) {
    const CommandResult result = run("simulate -o x.csv " + start + with(poses));
    EXPECT_EQ(result.exit_code, 1) << poses << '\n' << result.errors;
    EXPECT_NE(result.errors.find(words), std::string::npos) << poses << '\n' << result.errors;
  };
  refused("moves.gltf", "name one of 'the ball', 'lamp'");
  refused("moves.gltf node chair", "no node 'chair'; animations move 'the ball', 'lamp'");
  refused("moves.gltf node table", "no animation moves the node 'table'; animations move 'the ball', 'lamp'");
  refused("moves.bin node lamp", "moves.bin is no glTF file");
}

// A run of two halves is the whole run, with contacts on the way and colliders that move.
TEST_F(ContactCommand, ResumedRunsAreTheSameToTheBit) {
  std::ofstream(*folder_ / "wave.csv") << "0 0.1 0 -0.3 0 0 0 1\n0.07 0.1 0 -0.2 0 0.1 0 1\n0.3 0.1 0 -0.3 0 0 0.1 1\n";
  for (const std::string& precision : {std::string("float"), std::string("double")}) {
    const std::string kept =
        "simulate free.qrt --gravity 0,0,-9.81 --integrator backward-euler --dt 0.01 -o x.csv --bodies 3 --ground "
        "--precision " +
        precision +
        " --collider 'sphere 0.25 poses wave.csv' --collider 'box 0.1,0.1,0.05 at 0,0.3,0 velocity 0,-0.7,0 spin "
        "0,0,2' ";
    const std::string start = kept + "--pose 0,0,0.16,0,0.1,0,1 --rayleigh-stiffness 2e-3 ";
    ASSERT_EQ(run(start + "--steps 40 --checkpoint whole.qstate").exit_code, 0);
    ASSERT_EQ(run(start + "--steps 17 --checkpoint half.qstate").exit_code, 0);
    ASSERT_EQ(run(kept + "--resume half.qstate --steps 23 --checkpoint rest.qstate").exit_code, 0);
    const auto bytes = [&](const char* name) {
      std::ifstream file(*folder_ / name, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_FALSE(bytes("whole.qstate").empty());
    EXPECT_EQ(bytes("whole.qstate"), bytes("rest.qstate")) << precision;
  }
}

TEST_F(ContactCommand, BodiesThatWentThroughAShapeAreTold) {
  const std::string plate = "--collider 'box 5,5,0.01 at 0,0,-0.05' --steps 3 --pose 0,0,0.1,0,0,0,1 --velocity 0,0,";
  const nlohmann::json slow = report(falling + plate + "-0.1"), fast = report(falling + plate + "-30");
  EXPECT_EQ(slow["flags"]["too_fast"], 0) << slow;
  EXPECT_EQ(fast["flags"]["too_fast"], 1) << fast;
  EXPECT_EQ(fast["flags"]["contacts_lost"], 0) << fast;
  EXPECT_NE(fast["warnings"].dump().find("may have gone through a shape"), std::string::npos) << fast;
  EXPECT_EQ(slow["warnings"].dump().find("gone through"), std::string::npos) << slow;
}

TEST_F(ContactCommand, WhatDoesNotGoTogetherIsRefused) {
  const auto refused = [&](const std::string& arguments, int exit_code, const std::string& words) {
    const CommandResult result = run("simulate free.qrt -o x.csv --steps 1 " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << '\n' << result.errors;
    EXPECT_NE(result.errors.find(words), std::string::npos) << arguments << '\n' << result.errors;
  };
  refused("--ground --backend cuda --integrator energy-conserving", 1, "or --backend cpu");
  refused("--ground --integrator central-differences", 1, "take backward-euler");
  refused("--friction 0.5", 2, "give --ground or --collider");
  refused("--contact-spacing 0.1", 2, "give --ground or --collider");
  refused("--ground --contact-stiffness 0", 2, "--contact-stiffness");
  refused("--ground --friction -1", 2, "--friction");
  refused("--ground x", 2, "--ground: 'x' is not a number");
  refused("--collider ''", 2, "--collider takes");
  refused("--collider 'cone 1'", 2, "there is no 'cone'");
  refused("--collider 'sphere 1,2'", 2, "sphere takes 1 numbers");
  refused("--collider 'sphere 1 at 0,0'", 2, "3 or 7 numbers");
  refused("--collider 'sphere 1 at 0,0,0,0,0,0,0'", 2, "no rotation");
  refused("--collider 'sphere 1 at 0,0,0 at 0,0,1'", 2, "'at' twice");
  refused("--collider 'sphere -1'", 1, "--collider 'sphere -1'");
  refused("--collider 'mesh none.obj'", 1, "none.obj");
  refused("--collider 'sphere 1 poses none.csv'", 1, "none.csv");
  refused("--collider 'sphere 1 poses none.csv velocity 1,0,0'", 2, "leave at, velocity and spin out");
  std::ofstream(*folder_ / "poses.csv") << "0,0,0,0\n1,0,0,1\n";
  refused("-o poses.csv --collider 'sphere 0.1 poses poses.csv'", 2, "would overwrite the input 'poses.csv'");
  refused("-o c.pc2 --collider 'mesh c.obj'", 2, "would overwrite the input 'c.obj'");
  refused("--ground --start equilibrium", 1, "doesn't know of contacts");
  refused("--ground --gas AIR=0", 1, "--gas: contacts don't go with gases");
  refused("--ground --move-set x:z=1", 1, "--move-set: bodies with sets that are moved");
  refused("--ground --modal-damping 0.1", 1, "--modal-damping: contacts");
  refused("--ground --strain-damping 0.1", 1, "--strain-damping: contacts");
  refused("--ground --contact-spacing 1e-300", 1, "take a larger spacing");
  refused("--collider 'sphere 1 node ball'", 2, "poses FILE node NAME");
  refused("--collider 'sphere 1 poses none.gltf node'", 2, "node needs a name");
  const CommandResult newmark = run("simulate free.qrt --ground --steps 1 -o x.csv");
  EXPECT_EQ(newmark.exit_code, 0);
  EXPECT_NE(newmark.errors.find("--integrator backward-euler"), std::string::npos) << newmark.errors;
}

}  // namespace
}  // namespace quartic
