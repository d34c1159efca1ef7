// Recordings of forces: files, selection, and the shapes that they hold a body in.
#include "quartic/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "quartic/error.hpp"
#include "quartic/procedural.hpp"
#include "support/support.hpp"

namespace {

using namespace quartic;

RecordedLoad pull(double time, std::int32_t vertex, std::array<double, 3> force) {
  return {.time = time, .forces = {{.body = 0, .vertex = vertex, .force = force}}};
}

std::vector<RecordedLoad> parse(const test::TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "forces.csv", std::ios::binary) << text;
  return read_recorded_loads(folder / "forces.csv", 10);
}

TEST(RecordedLoadsTest, FilesKeepEveryBit) {
  const test::TemporaryFolder folder;
  std::vector<RecordedLoad> loads = {pull(0, 3, {1.0 / 3, -2e-300, 1e9}), pull(0.1, 9, {0, 0, 1})};
  loads[1].forces.push_back({.body = 0, .vertex = 2, .force = {5, 6, 7}});
  write_recorded_loads(loads, folder / "a.csv");
  const std::vector<RecordedLoad> read = read_recorded_loads(folder / "a.csv", 10);
  ASSERT_EQ(read.size(), 2U);
  ASSERT_EQ(read[1].forces.size(), 2U);
  EXPECT_EQ(read[0].forces[0].force, loads[0].forces[0].force);
  EXPECT_EQ(read[1].forces[1].vertex, 2);
  EXPECT_EQ(read[1].time, 0.1);
}

TEST(RecordedLoadsTest, WritesOnlyWhatReadsBackTheSame) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::vector<RecordedLoad>& loads) { write_recorded_loads(loads, folder / "a.csv"); };
  write({pull(0, 3, {1, 0, 0}), {.time = 1, .forces = {}}, pull(2, 3, {1, 0, 0})});
  EXPECT_EQ(read_recorded_loads(folder / "a.csv", 10).size(), 3U);
  EXPECT_THROW(write({pull(1, 3, {1, 0, 0}), pull(1, 4, {1, 0, 0})}), InputError);
  EXPECT_THROW(write({pull(1, 3, {1, 0, 0}), pull(0, 4, {1, 0, 0})}), InputError);
  EXPECT_THROW(write({pull(std::nan(""), 3, {1, 0, 0})}), InputError);
  EXPECT_THROW(write({pull(0, -1, {1, 0, 0})}), InputError);
  EXPECT_THROW(write({{.time = 0, .forces = {{.body = 1, .vertex = 0, .force = {1, 0, 0}}}}}), InputError);
}

TEST(RecordedLoadsTest, ReadsWhatPeopleWrite) {
  const test::TemporaryFolder folder;
  const std::vector<RecordedLoad> loads =
      parse(folder,
            "\xEF\xBB\xBFTime, vertex, fx, fy, fz\r\n# pulled twice\r\n0 1 1.0D+00 0 0\r\n\r\n0,2,0,1,0\r\n"
            "0.5,1,+2,.5,-1e-2 # let go\r\n");
  ASSERT_EQ(loads.size(), 2U);
  ASSERT_EQ(loads[0].forces.size(), 2U);
  EXPECT_EQ(loads[0].forces[0].force[0], 1);
  EXPECT_EQ(loads[1].forces[0].force, (std::array{2.0, 0.5, -0.01}));
  EXPECT_EQ(parse(folder, "0,1,1,0,0\n").size(), 1U);  // no names
  EXPECT_TRUE(parse(folder, "").empty());
  EXPECT_TRUE(parse(folder, "time,vertex,fx,fy,fz\n").empty());
}

TEST(RecordedLoadsTest, SaysWhatIsWrongAndWhere) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    try {
      static_cast<void>(parse(folder, text));
      FAIL() << text;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  refused("0,1,1,0,0\n0.1,10,1,0,0\n", "forces.csv:2: vertex 10 is outside 0 .. 9");
  refused("0,-1,1,0,0\n", "vertex -1");
  refused("0,1.5,1,0,0\n", "'1.5' is not an integer");
  refused("0,1,1,0\n", ":1: the force is missing");
  refused("0,1,1,0,nan\n", "'nan' is not a finite number");
  refused("0,1,1,0,0,7\n", "'7' after the force");
  refused("1,1,1,0,0\n0,1,1,0,0\n", "times must ascend");
  refused("time,fx,fy,fz,vertex\n0,1,2,3,4\n", "must be time,vertex,fx,fy,fz in this order");
  refused("time,vertex,fx,fy\n", "must be time,vertex,fx,fy,fz in this order");
  refused("0,1,,1,2,3\n", ":1: there is an empty field");
  refused(",0,1,1,2,3\n", ":1: there is an empty field");
  refused("0,1,1,0,0\ntime,vertex,fx,fy,fz\n", "'time' is not a finite number");
  EXPECT_THROW(static_cast<void>(read_recorded_loads(folder / "missing", 10)), FileError);
}

TEST(SketchTest, SelectsLoadsThatKeepTheirDistanceFromTheLastOne) {
  const std::vector<RecordedLoad> loads = {pull(0, 1, {0, 0, 0}),   pull(1, 1, {1, 0, 0}),    pull(2, 1, {1.5, 0, 0}),
                                           pull(3, 1, {2.1, 0, 0}), pull(4, 2, {2.1, 0, 0}),  pull(5, 1, {1, 0, 0}),
                                           pull(6, 1, {10, 0, 0}),  {.time = 7, .forces = {}}};
  EXPECT_EQ(select_loads(loads, 0.1), (std::vector<std::int64_t>{1, 3, 4, 5, 6}));
  EXPECT_EQ(select_loads(loads, 0.5), (std::vector<std::int64_t>{6}));
  EXPECT_EQ(select_loads(loads, 0), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  // Two forces on one vertex are one.
  RecordedLoad twice = pull(0, 1, {1, 0, 0});
  twice.forces.push_back({.body = 0, .vertex = 1, .force = {-1, 0, 0}});
  EXPECT_TRUE(select_loads({&twice, 1}, 0).empty());
  EXPECT_THROW(static_cast<void>(select_loads(loads, 1.5)), InputError);
}

TEST(SketchTest, FollowsLoadsToTheEquilibriaOfEach) {
  const ProceduralMesh beam = make_beam(12);
  const auto tip = static_cast<std::int32_t>(beam.mesh.vertex_count() - 1);
  const std::vector<RecordedLoad> loads = {pull(0, tip, {0, 0, -60}), pull(1, tip, {0, 30, -55}),
                                           pull(2, tip, {0, 60, 0})};
  StaticSolver solver(beam.mesh, beam.fixed_vertices);
  std::vector<Equilibrium> ends;
  follow_loads(solver, loads, beam.mesh.vertex_count(), [&](std::int64_t number, const Equilibrium& end) {
    EXPECT_EQ(number, std::ssize(ends));
    ends.push_back(end);
  });
  ASSERT_EQ(ends.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Equilibrium alone =
        StaticSolver(beam.mesh, beam.fixed_vertices).solve(force_vector(loads[i].forces, beam.mesh.vertex_count()));
    ASSERT_TRUE(ends[i].converged && alone.converged);
    double difference = 0;
    for (std::size_t n = 0; n < alone.solution.size(); ++n)
      difference = std::max(difference, std::abs(alone.solution[n] - ends[i].solution[n]));
    EXPECT_LE(difference, 1e-8);  // of a beam 1 m long
  }
  EXPECT_LT(ends[1].iterations, ends[0].iterations);  // a neighbour is closer than rest
}

TEST(SketchTest, ForceVectorsAddUp) {
  const std::vector<VertexForce> forces = {{0, 1, {1, 2, 3}}, {0, 0, {5, 0, 0}}, {0, 1, {1, 0, 0}}};
  EXPECT_EQ(force_vector(forces, 2), (std::vector<double>{5, 0, 0, 2, 2, 3}));
  EXPECT_THROW(static_cast<void>(force_vector(forces, 1)), InputError);
}

}  // namespace
