#include "quartic/pose_track.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

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

}  // namespace
}  // namespace quartic
