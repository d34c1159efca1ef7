// Trajectory files.
#include "quartic/trajectory.hpp"

#include <charconv>
#include <clocale>
#include <cmath>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>

#include "quartic/error.hpp"
#include "support/files.hpp"
#include "support/safetensors_header.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

Trajectory example() {
  Trajectory trajectory;
  trajectory.bodies = 2;
  trajectory.rank = 3;
  trajectory.time = {0, 0.1, 1.0 / 3};
  trajectory.q = test::random_numbers(18, 1);
  trajectory.q[0] = 5e-324;
  trajectory.q[1] = -1.7976931348623157e308;
  trajectory.status = {BodyStatus::ok, BodyStatus::diverged};
  return trajectory;
}

class Trajectories : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(Trajectories, OneBodysPart) {
  const Trajectory trajectory = example();
  const Trajectory second = body_trajectory(trajectory, 1);
  EXPECT_EQ(second.bodies, 1);
  EXPECT_EQ(second.rank, 3);
  EXPECT_EQ(second.time, trajectory.time);
  EXPECT_EQ(second.status, std::vector<BodyStatus>{BodyStatus::diverged});
  std::vector<double> q;  // frames of two bodies with three numbers each
  for (const std::size_t i : {3, 4, 5, 9, 10, 11, 15, 16, 17}) q.push_back(trajectory.q[i]);
  EXPECT_EQ(second.q, q);
  EXPECT_THROW((void)body_trajectory(trajectory, 2), InputError);
  EXPECT_THROW((void)body_trajectory(trajectory, -1), InputError);
  Trajectory broken = trajectory;
  broken.q.pop_back();
  EXPECT_THROW((void)body_trajectory(broken, 0), InputError);
}

TEST_F(Trajectories, RoundTripKeepsEveryBit) {
  const Trajectory trajectory = example();
  save_trajectory(trajectory, folder_ / "t.qtraj");
  const Trajectory again = load_trajectory(folder_ / "t.qtraj");
  EXPECT_EQ(again.bodies, 2);
  EXPECT_EQ(again.rank, 3);
  EXPECT_EQ(again.time, trajectory.time);
  EXPECT_EQ(again.q, trajectory.q);
  EXPECT_EQ(again.status, trajectory.status);
}

// Files without a flag that is set have no word of flags, and are the same byte for byte.
TEST_F(Trajectories, FlagsAreKeptWhereOneIsSet) {
  Trajectory trajectory = example();
  save_trajectory(trajectory, folder_ / "plain.qtraj");
  trajectory.flags = {BodyFlags::none, BodyFlags::none};
  save_trajectory(trajectory, folder_ / "none.qtraj");
  EXPECT_EQ(test::file_text(folder_ / "none.qtraj"), test::file_text(folder_ / "plain.qtraj"));
  EXPECT_TRUE(load_trajectory(folder_ / "none.qtraj").flags.empty());
  constexpr BodyFlags of_later_versions{0x80000100U};
  trajectory.flags = {BodyFlags::strained | BodyFlags::not_converged, of_later_versions};
  save_trajectory(trajectory, folder_ / "t.qtraj");
  EXPECT_EQ(load_trajectory(folder_ / "t.qtraj").flags, trajectory.flags);
  EXPECT_EQ(body_trajectory(trajectory, 1).flags, std::vector<BodyFlags>{of_later_versions});
  EXPECT_TRUE(body_trajectory(example(), 1).flags.empty());
  trajectory.flags.pop_back();
  EXPECT_THROW(save_trajectory(trajectory, folder_ / "t.qtraj"), InputError);
}

/// The example's bodies fly: unit quaternions, and any other numbers.
Trajectory flying_example() {
  Trajectory trajectory = example();
  trajectory.pose = test::random_numbers(42, 5);
  for (std::size_t i = 0; i < 42; i += 7) {
    double square = 0;
    for (std::size_t c = 3; c < 7; ++c) square += trajectory.pose[i + c] * trajectory.pose[i + c];
    for (std::size_t c = 3; c < 7; ++c) trajectory.pose[i + c] /= std::sqrt(square);
  }
  trajectory.twist = test::random_numbers(36, 6);
  return trajectory;
}

TEST_F(Trajectories, PosesAndTwistsAreKept) {
  const Trajectory trajectory = flying_example();
  EXPECT_TRUE(trajectory.flies());
  EXPECT_FALSE(example().flies());
  save_trajectory(trajectory, folder_ / "t.qtraj");
  const auto header = test::header_of(test::file_text(folder_ / "t.qtraj"));
  EXPECT_EQ(header["pose"]["shape"], nlohmann::json({3, 2, 7}));
  EXPECT_EQ(header["twist"]["shape"], nlohmann::json({3, 2, 6}));
  EXPECT_EQ(header["__metadata__"]["requires"], R"(["pose"])") << "without poses, the motion would be another one";
  const Trajectory again = load_trajectory(folder_ / "t.qtraj");
  EXPECT_EQ(again.pose, trajectory.pose);
  EXPECT_EQ(again.twist, trajectory.twist);
  const Trajectory second = body_trajectory(trajectory, 1);
  std::vector<double> pose, twist;
  for (std::ptrdiff_t frame = 0; frame < 3; ++frame) {
    const auto p = trajectory.pose.begin() + 14 * frame + 7, t = trajectory.twist.begin() + 12 * frame + 6;
    pose.insert(pose.end(), p, p + 7);
    twist.insert(twist.end(), t, t + 6);
  }
  EXPECT_EQ(second.pose, pose);
  EXPECT_EQ(second.twist, twist);
  Trajectory without_twist = trajectory;  // as a program may make that has no velocities
  without_twist.twist.clear();
  save_trajectory(without_twist, folder_ / "t.qtraj");
  EXPECT_EQ(load_trajectory(folder_ / "t.qtraj").pose, trajectory.pose);
  EXPECT_TRUE(load_trajectory(folder_ / "t.qtraj").twist.empty());
}

// A held body's file has nothing that wasn't there before there were poses.
TEST_F(Trajectories, FilesOfHeldBodiesAreOfSchemaOne) {
  save_trajectory(example(), folder_ / "t.qtraj");
  const auto header = test::header_of(test::file_text(folder_ / "t.qtraj"));
  std::vector<std::string> names;
  for (const auto& [name, value] : header.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"__metadata__", "q", "status", "time"}));
  std::vector<std::string> keys;
  for (const auto& [name, value] : header["__metadata__"].items()) keys.push_back(name);
  EXPECT_EQ(keys, std::vector<std::string>{"quartic_version"});
}

TEST_F(Trajectories, WrongPosesAreRefused) {
  const auto expect_refused = [&](const auto& change, const std::string& part) {
    Trajectory trajectory = flying_example();
    change(trajectory);
    try {
      save_trajectory(trajectory, folder_ / "never.qtraj");
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused([](Trajectory& t) { t.pose.pop_back(); }, "pose must have frames x bodies x 7");
  expect_refused([](Trajectory& t) { t.twist.pop_back(); }, "twist must have frames x bodies x 6");
  expect_refused([](Trajectory& t) { t.pose.clear(); }, "twists, but no poses");
  expect_refused([](Trajectory& t) { t.pose[22] = nan; }, "pose of body 1 in frame 1");
  expect_refused([](Trajectory& t) { t.twist[35] = nan; }, "twist of body 1 in frame 2");
  expect_refused([](Trajectory& t) { std::fill_n(t.pose.begin() + 3, 4, 0.0); }, "body 0 in frame 0 has the length 0");
  expect_refused(
      [](Trajectory& t) {
        for (std::size_t c = 31; c < 35; ++c) t.pose[c] *= 1.0001;
      },
      "quaternion of body 0 in frame 2");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));

  // The same in a file, whose message has its name.
  save_trajectory(flying_example(), folder_ / "t.qtraj");
  const std::string content = test::file_text(folder_ / "t.qtraj");
  const auto expect_unread = [&](auto header, const std::string& part) {
    std::ofstream(folder_ / "changed.qtraj", std::ios::binary) << test::with_header(content, header);
    try {
      (void)load_trajectory(folder_ / "changed.qtraj");
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  auto header = test::header_of(content);
  header["pose"]["shape"] = {2, 3, 7};
  expect_unread(header, "'pose' has size 2 in dimension 0");
  header = test::header_of(content);
  header["twist"]["shape"] = {3, 1, 12};
  expect_unread(header, "'twist' has size 1 in dimension 1");
  header = test::header_of(content);
  header["place"] = header["pose"];
  header.erase("pose");
  expect_unread(header, "requires 'pose'");
}

TEST_F(Trajectories, WhatDoesNotFitIsRefused) {
  Trajectory trajectory = example();
  trajectory.q.pop_back();
  EXPECT_THROW(save_trajectory(trajectory, folder_ / "t.qtraj"), InputError);
  EXPECT_THROW(write_csv(trajectory, folder_ / "t.csv"), InputError);
  trajectory = example();
  trajectory.status.pop_back();
  EXPECT_THROW(save_trajectory(trajectory, folder_ / "t.qtraj"), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  save_trajectory(example(), folder_ / "t.qtraj");
  std::filesystem::resize_file(folder_ / "t.qtraj", std::filesystem::file_size(folder_ / "t.qtraj") - 1);
  EXPECT_THROW((void)load_trajectory(folder_ / "t.qtraj"), ParseError);
  EXPECT_THROW((void)load_trajectory(folder_ / "nowhere.qtraj"), FileError);
}

TEST_F(Trajectories, CsvOfAFlyingBodyHasItsPose) {
  const Trajectory trajectory = flying_example();
  write_csv(trajectory, folder_ / "t.csv");
  std::ifstream file(folder_ / "t.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "time,q0,q1,q2,x,y,z,qx,qy,qz,qw");
  for (std::size_t frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(std::getline(file, line));
    std::istringstream cells(line);
    std::vector<double> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::strtod(cell.c_str(), nullptr));
    std::vector<double> expected = {trajectory.time[frame], trajectory.q[6 * frame], trajectory.q[6 * frame + 1],
                                    trajectory.q[6 * frame + 2]};
    const auto pose = trajectory.pose.begin() + static_cast<std::ptrdiff_t>(14 * frame);
    expected.insert(expected.end(), pose, pose + 7);
    EXPECT_EQ(values, expected) << frame;
  }
}

struct CommaAlone : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_F(Trajectories, CsvHasBodyZeroInFullPrecision) {
  const Trajectory trajectory = example();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaAlone));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // does nothing where it isn't installed
  write_csv(trajectory, folder_ / "t.csv");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  std::ifstream file(folder_ / "t.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "time,q0,q1,q2");
  for (std::size_t frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(std::getline(file, line));
    std::istringstream cells(line);
    std::vector<double> values;
    for (std::string cell; std::getline(cells, cell, ',');) {
      double value = 0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      EXPECT_TRUE(error == std::errc() && end == cell.data() + cell.size()) << cell;
      values.push_back(value);
    }
    EXPECT_EQ(values, (std::vector<double>{trajectory.time[frame], trajectory.q[6 * frame], trajectory.q[6 * frame + 1],
                                           trajectory.q[6 * frame + 2]}));
  }
  EXPECT_FALSE(std::getline(file, line));
}

}  // namespace
}  // namespace quartic
