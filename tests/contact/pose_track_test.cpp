#include "quartic/pose_track.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include "quartic/error.hpp"
#include "quartic/world.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using test::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(PoseTrackTest, IsAtItsPosesAndEvenBetweenThem) {
  const double s = std::sin(0.4), c = std::cos(0.4);  // 0.8 about x
  const PoseTrack track{{0, 1, 3}, {{0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, s, 0, 0, c}, {1, 2, 5, -s, 0, 0, -c}}};
  EXPECT_EQ(pose_at(track, -1), track.poses[0]);
  EXPECT_EQ(pose_at(track, 0), track.poses[0]);
  EXPECT_EQ(pose_at(track, 3), track.poses[2]);
  EXPECT_EQ(pose_at(track, 9), track.poses[2]);
  const std::array<double, 7> half = pose_at(track, 0.5), expected = {0.5, 1, 1.5, std::sin(0.2), 0, 0, std::cos(0.2)};
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(half[k], expected[k], 1e-15) << k;
  const std::array<double, 7> later = pose_at(track, 2);
  EXPECT_NEAR(later[2], 4, 1e-15);
  EXPECT_NEAR(std::abs(later[3] * s + later[6] * c), 1, 1e-15) << "q and -q are one rotation";
  EXPECT_EQ(pose_at({{2}, {{1, 0, 0, 0, 0, 0, 1}}}, 7)[0], 1) << "a single pose";
}

// Steps of any length along a track end on it.
TEST(PoseTrackTest, MovesColliders) {
  const PoseTrack track{{0, 0.5}, {{0, 0, 0, 0, 0, 0, 1}, {1, 0, 2, 0, std::sin(1), 0, std::cos(1)}}};
  Collider collider{Shape{SphereShape{}}};
  double time = 0;
  for (const double h : {0.1, 0.05, 0.2, 0.15}) {
    collider = moved(moving_to(collider, pose_at(track, time + h), h), h);
    time += h;
    const std::array<double, 7> there = pose_at(track, time);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(collider.pose[k], there[k], 1e-14) << time << ' ' << k;
  }
}

TEST(PoseTrackTest, RefusesWhatIsNoTrack) {
  const auto expect = [](const PoseTrack& track, double time, const std::string& part) {
    const std::string message = message_of([&] { static_cast<void>(pose_at(track, time)); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const std::array<double, 7> rest = {0, 0, 0, 0, 0, 0, 1};
  expect({}, 0, "at least one");
  expect({{0, 1}, {rest}}, 0, "a pose for each");
  expect({{0, 1}, {rest, {}}}, 0.5, "pose 1");
  expect({{0, 1}, {rest, {nan, 0, 0, 0, 0, 0, 1}}}, 0.5, "isn't finite");
}

class PoseTrackFileTest : public testing::Test {
 protected:
  PoseTrack read(const std::string& content) {
    std::ofstream(folder_ / "track.csv") << content;
    return read_pose_track(folder_ / "track.csv");
  }
  test::TemporaryFolder folder_;
};

TEST_F(PoseTrackFileTest, ReadsLinesWithAndWithoutRotations) {
  const PoseTrack track = read("time,x,y,z,qx,qy,qz,qw\n0,1,2,3,0,0,0,1\n0.5, 1, 2, 4, 1, 0, 0, 1\n");
  EXPECT_EQ(track.times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(track.poses[1], (std::array<double, 7>{1, 2, 4, 1, 0, 0, 1}));
  const PoseTrack plain = read("-1 0 0 0\n2 0 0 1e-3\n");
  EXPECT_EQ(plain.times, (std::vector<double>{-1, 2}));
  EXPECT_EQ(plain.poses[1], (std::array<double, 7>{0, 0, 1e-3, 0, 0, 0, 1}));
}

TEST_F(PoseTrackFileTest, ErrorsNameTheLine) {
  const auto expect = [&](const std::string& content, const std::string& part) {
    std::string message;
    try {
      static_cast<void>(read(content));
    } catch (const ParseError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(part), std::string::npos) << content << message;
  };
  expect("", "there are no poses");
  expect("time,x,z,y\n0,0,0,0\n", ":1: the columns must be");
  expect("time,x,y\n", ":1: there are 3 values");
  expect("0,0,0,0\n1,0,0,0,0,0,0,1\n", ":2: there are 8 values, but 4");
  expect("0,0,0,0\n0,0,0,0\n", ":2: times must ascend");
  expect("0,0,0,0\n1,0,nan,0\n", ":2: y");
  expect("0,0,0,0,0,0,0,0\n", ":1: the quaternion");
  expect("0,0,0,0,0,0,0,1,5\n", ":1: there is");
  EXPECT_THROW(static_cast<void>(read_pose_track(folder_ / "none.csv")), FileError);
}

// A scene of glTF: an arm that turns by a right angle about z in 2 s, on which a hand hangs that goes from x = 1 to 2
// in the first of them, a box that stands and steps, and what else nodes are.
class GltfTrackTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto h = static_cast<float>(std::sqrt(0.5));
    times_ = add({0, 2}, "SCALAR");
    turns_ = add({0, 0, 0, 1, 0, 0, h, h}, "VEC4");
    early_ = add({0, 1}, "SCALAR");
    ways_ = add({1, 0, 0, 2, 0, 0}, "VEC3");
    three_ = add({0.5F, 1, 3}, "SCALAR");
    places_ = add({0, 0, 1, 0, 0, 2, 0, 0, 4}, "VEC3");
    nodes_ =
        R"({"name":"arm","children":[1],"translation":[0,0,5]},{"name":"hand"},{"name":"box","rotation":[0,0,0,-2]},
                {"name":"still"},{"name":"twin"},{"name":"twin"},{"name":"large","scale":[1,2,1],"children":[7]},{"name":"small"})";
    animate(0, "rotation", times_, turns_);
    animate(1, "translation", early_, ways_);
    animate(2, "translation", three_, places_, "STEP");
    animate(7, "translation", early_, ways_);
  }
  int add(const std::vector<float>& values, const std::string& type) {
    const std::size_t width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4, at = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    const std::string number = std::to_string(accessor_count_);
    views_ += (views_.empty() ? "" : ",") + std::string(R"({"buffer":0,"byteOffset":)") + std::to_string(at) +
              R"(,"byteLength":)" + std::to_string(bytes_.size() - at) + "}";
    accessors_ += (accessors_.empty() ? "" : ",") + std::string(R"({"bufferView":)") + number +
                  R"(,"componentType":5126,"count":)" + std::to_string(values.size() / width) + R"(,"type":")" + type +
                  "\"}";
    return accessor_count_++;
  }
  void animate(int node, const std::string& path, int input, int output, const std::string& how = "LINEAR") {
    const std::string comma = samplers_.empty() ? "" : ",";
    channels_ += comma + R"({"sampler":)" + std::to_string(sampler_count_++) + R"(,"target":{"node":)" +
                 std::to_string(node) + R"(,"path":")" + path + "\"}}";
    samplers_ += comma + R"({"input":)" + std::to_string(input) + R"(,"output":)" + std::to_string(output) +
                 R"(,"interpolation":")" + how + "\"}";
  }
  PoseTrack read(const std::string& node) {
    std::ofstream(folder_ / "moves.bin", std::ios::binary) << bytes_;
    std::ofstream(folder_ / "moves.gltf")
        << R"({"asset":{"version":"2.0"},"buffers":[{"uri":"moves.bin","byteLength":)" << bytes_.size()
        << "}],\"bufferViews\":[" << views_ << "],\"accessors\":[" << accessors_ << "],\"nodes\":[" << nodes_
        << "],\"animations\":[{\"samplers\":[" << samplers_ << "],\"channels\":[" << channels_ << "]}]}";
    return read_pose_track(folder_ / "moves.gltf", node);
  }
  test::TemporaryFolder folder_;
  std::string bytes_, views_, accessors_, nodes_, channels_, samplers_;
  int accessor_count_ = 0, sampler_count_ = 0;
  int times_ = 0, turns_ = 0, early_ = 0, ways_ = 0, three_ = 0, places_ = 0;
};

TEST_F(GltfTrackTest, NodesGoWithWhatTheyHangOn) {
  const PoseTrack arm = read("arm"), hand = read("hand");
  EXPECT_EQ(arm.times.size(), 2U) << "keys alone";
  for (const double t : {0.0, 0.3, 0.77, 1.0, 1.5, 2.0, 3.0}) {
    const double angle = std::min(t, 2.0) * std::acos(-1.0) / 4, x = std::min(1 + t, 2.0);
    const std::array<double, 7> expected = {x * std::cos(angle), x * std::sin(angle), 5, 0, 0,
                                            std::sin(angle / 2), std::cos(angle / 2)};
    const std::array<double, 7> at = pose_at(hand, t), of_arm = pose_at(arm, t);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_NEAR(at[k], expected[k], 5e-6) << t << ' ' << k;  // the arc's height over 1/240 s is 2.7e-6 m
      EXPECT_NEAR(of_arm[k], k < 2 ? 0 : expected[k], 1e-7) << t << ' ' << k << ", floats in the file";
    }
  }
}

TEST_F(GltfTrackTest, StepsEndBeforeTheNextKey) {
  const PoseTrack box = read("box");
  for (const auto& [time, z] :
       {std::pair{0.0, 1.0}, {0.5, 1.0}, {0.999999, 1.0}, {1.0, 2.0}, {2.999, 2.0}, {3.0, 4.0}, {9.0, 4.0}})
    EXPECT_EQ(pose_at(box, time)[2], z) << time;
  EXPECT_EQ(std::abs(box.poses[0][6]), 1) << "of unit length";
}

TEST_F(GltfTrackTest, TellsWhatIsMissing) {
  const auto expect = [&](const std::string& node, const std::string& part) {
    const std::string message = message_of([&] { static_cast<void>(read(node)); });
    EXPECT_NE(message.find(part), std::string::npos) << node << ": " << message;
  };
  expect("", "several nodes; name one of 'arm', 'hand', 'box', 'small'");
  expect("leg", "no node 'leg'; animations move 'arm'");
  expect("still", "no animation moves the node 'still'; animations move 'arm', 'hand', 'box', 'small'");
  expect("twin", "two nodes are called 'twin'");
  expect("small", "'large' is scaled");
  animate(3, "rotation", early_, turns_, "CUBICSPLINE");
  expect("still", "sampled, linear keys");
  animate(4, "rotation", three_, turns_);
  nodes_.replace(nodes_.find("twin"), 4, "odd1");
  expect("odd1", "2 values for 3 times");
  animate(5, "translation", ways_, ways_);
  nodes_.replace(nodes_.find("twin"), 4, "odd2");
  expect("odd2", "1 components");
  EXPECT_NE(message_of([&] { static_cast<void>(read_pose_track(folder_ / "moves.bin", "arm")); }).find("no glTF file"),
            std::string::npos);
}

}  // namespace
}  // namespace quartic
