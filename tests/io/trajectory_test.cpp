// Trajectory files.
#include "quartic/trajectory.hpp"

#include <charconv>
#include <clocale>
#include <fstream>
#include <locale>
#include <sstream>

#include "quartic/error.hpp"
#include "support/files.hpp"
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

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_F(Trajectories, CsvHasBodyZeroInFullPrecision) {
  const Trajectory trajectory = example();
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
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
