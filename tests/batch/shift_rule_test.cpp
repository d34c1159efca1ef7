// The rule of shifts, and the slack of load curves: numbers that every stepper shares.
#include "core/batch/shift_rule.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/batch/curve_value.hpp"

namespace quartic {
namespace {

// The shifts that are tried for a matrix that has a factor from `least` on.
std::vector<double> tries(double mean_diagonal, double least, ShiftResult<double>& result) {
  std::vector<double> shifts;
  result = factorize_by_shifts<double>([&] { return first_shift(mean_diagonal); },
                                       [&](double shift) {
                                         shifts.push_back(shift);
                                         return shift >= least;
                                       });
  return shifts;
}

TEST(ShiftRuleTest, LeavesGoodMatricesAlone) {
  ShiftResult<double> result{};
  EXPECT_EQ(tries(4, 0, result), std::vector<double>{0});
  EXPECT_TRUE(result.solvable);
  EXPECT_FALSE(result.regularised);
}

TEST(ShiftRuleTest, BeginsAtAMillionthAndGrowsTenfold) {
  ShiftResult<double> result{};
  const std::vector<double> shifts = tries(4, 3e-3, result);
  ASSERT_EQ(shifts.size(), 5U);
  const double expected[] = {0, 4e-6, 4e-5, 4e-4, 4e-3};
  for (std::size_t n = 0; n < shifts.size(); ++n) EXPECT_DOUBLE_EQ(shifts[n], expected[n]);
  EXPECT_EQ(result.shift, shifts.back());
  EXPECT_TRUE(result.solvable);
  EXPECT_TRUE(result.regularised);
}

TEST(ShiftRuleTest, GivesUpAfterTwelveShifts) {
  ShiftResult<double> result{};
  const std::vector<double> shifts = tries(4, 1e9, result);
  EXPECT_EQ(shifts.size(), 13U);
  EXPECT_NEAR(shifts.back(), 4e5, 1e-8);
  EXPECT_FALSE(result.solvable);
  EXPECT_TRUE(result.regularised);
}

// Times are sums of steps: a jump at 0.3 must not be missed by 3 x 0.1 or hit by 0.3 - 1e-6.
TEST(CurveSlackTest, JumpsArePassedAMillionthOfAStepEarly) {
  const double times[] = {0.3, 0.3}, scales[] = {1, 2};
  const double slack = curve_slack(0.2, 0.3);
  EXPECT_DOUBLE_EQ(slack, 1e-7);
  EXPECT_EQ(curve_value(times, scales, 2, 0.3 - 1e-16, slack), 2);
  EXPECT_EQ(curve_value(times, scales, 2, 0.3 - 0.9e-7, slack), 2);
  EXPECT_EQ(curve_value(times, scales, 2, 0.3 - 1.1e-7, slack), 1);
}

}  // namespace
}  // namespace quartic
