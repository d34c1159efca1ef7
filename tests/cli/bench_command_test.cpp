// `quartic bench`: that it measures everything it says, and what it computes from times. Never how fast something is.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "measure/samples.hpp"
#include "measure/timing.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

CommandResult run(const std::string& arguments) {
  return run_quartic(std::filesystem::temp_directory_path(), arguments);
}

TEST(BenchCommand, MeasuresWhatItSays) {
  const CommandResult result = run("bench --quick --ranks 1,4 --bodies 17 --threads 2 --json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json report = result.json();
  EXPECT_FALSE(report.at("processor").get<std::string>().empty());
  EXPECT_TRUE((std::set<std::string>{"portable", "AVX2", "AVX-512"}.contains(report.at("instruction_set"))));
  EXPECT_EQ(report.at("threads"), 2);
  EXPECT_EQ(report.at("date").get<std::string>().size(), 10U);
  std::set<std::string> names;
  for (const auto& [group, measurements] : report.at("measurements").items()) {
    EXPECT_FALSE(measurements.empty()) << group;
    for (const auto& m : measurements) {
      SCOPED_TRACE(m.dump());
      EXPECT_TRUE(names.insert(m.at("name")).second);
      EXPECT_FALSE(m.at("unit").get<std::string>().empty());
      EXPECT_GT(m.at("value").get<double>(), 0);
      ASSERT_TRUE(std::isfinite(m.at("value").get<double>()));
      if (!m.contains("baseline")) continue;
      EXPECT_GT(m.at("baseline_value").get<double>(), 0);
      EXPECT_GT(m.at("ratio").get<double>(), 0);
      ASSERT_TRUE(std::isfinite(m.at("ratio").get<double>()));
      // Of rates and parts the share, of times how many fit.
      const std::string unit = m.at("unit");
      const double value = m.at("value"), baseline = m.at("baseline_value"), ratio = m.at("ratio");
      const bool share = unit == "GFLOP/s" || unit == "s";
      EXPECT_NEAR(ratio, share ? value / baseline : baseline / value, 1e-9 * ratio);
    }
  }
  for (const char* name : {"multiply-add float, 1 thread", "copy, 2 threads", "one body, double, r = 4",
                           "one body, float, r = 1, p99.9", "17 bodies, float, r = 4, 1 thread",
                           "17 bodies, double, r = 1, 2 threads", "coefficients, r = 4", "reduce, modal derivatives"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(BenchCommand, RefusesWhatItCantMeasure) {
  for (const char* arguments : {"bench --ranks 0", "bench --ranks 81", "bench --ranks 4,x", "bench --bodies 0",
                                "bench --threads -1", "bench --bodies 9999999999", "bench mesh.veg"})
    EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
}

TEST(Percentile, IsAValueThatWasMeasured) {
  const std::vector<double> times = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(measure::percentile(times, 0.5), 5);
  EXPECT_EQ(measure::percentile(times, 0.51), 6);
  EXPECT_EQ(measure::percentile(times, 0.9), 9);
  EXPECT_EQ(measure::percentile(times, 0.999), 10);
  EXPECT_EQ(measure::percentile(times, 1), 10);
  EXPECT_EQ(measure::percentile(times, 1e-9), 1);
  EXPECT_EQ(measure::percentile(std::vector<double>{3.5}, 0.5), 3.5);
}

// Counted by hand: r = 2 has 5 rows and 6 monomials; two bricks have 54 points of 6 strains, 5 pairs, a triangle of 15.
TEST(Flops, AreThoseOfTheProducts) {
  EXPECT_EQ(measure::evaluation_flops(2), 2 * 5 * 6);
  const VolumeMesh bricks = make_box({.cells_x = 2, .cells_y = 1, .cells_z = 1}).mesh;
  EXPECT_EQ(measure::reduction_flops(bricks, 2), 2.0 * 54 * 6 * 15);
}

TEST(Timing, CountsEveryCall) {
  int first = 0, second = 0;
  const auto [a, b] = measure::compare(
      {.rounds = 3, .seconds = 1e-4}, [&] { ++first; }, [&] { ++second; });
  EXPECT_GE(first, 3);
  EXPECT_GE(second, 3);
  EXPECT_GT(a, 0);
  EXPECT_GT(b, 0);
}

}  // namespace
}  // namespace quartic
