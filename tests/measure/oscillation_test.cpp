// Amplitude and frequency of sampled signals of known ones.
#include "measure/oscillation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace {

using quartic::measure::oscillation_of;

std::vector<double> times(int count, double step) {
  std::vector<double> time;
  for (int n = 0; n < count; ++n) time.push_back(n * step);
  return time;
}

TEST(OscillationTest, FindsWhatTheSignalWasMadeOf) {
  const std::vector<double> time = times(1000, 0.01);
  std::vector<double> signal;
  for (const double t : time) signal.push_back(0.3 + 2 * std::sin(2 * std::numbers::pi * 1.7 * t));
  const auto found = oscillation_of(time, signal);
  EXPECT_NEAR(found.amplitude, 2.3, 1e-3);
  // The mean over 17 periods is exact; a crossing is off by the square of the step.
  EXPECT_NEAR(found.frequency.value(), 1.7, 1.7e-4);
}

TEST(OscillationTest, RipplesAtTheMeanAreNoCrossings) {
  const std::vector<double> time = times(2000, 0.005);
  std::vector<double> signal;
  for (const double t : time)
    signal.push_back(std::sin(2 * std::numbers::pi * t) + 0.04 * std::sin(2 * std::numbers::pi * 31 * t));
  EXPECT_NEAR(oscillation_of(time, signal).frequency.value(), 1, 2e-3);
}

TEST(OscillationTest, WhatDoesNotSwingHasNoFrequency) {
  const std::vector<double> time = times(100, 0.1);
  EXPECT_FALSE(oscillation_of(time, std::vector<double>(100, 2.0)).frequency);
  EXPECT_EQ(oscillation_of(time, std::vector<double>(100, -2.0)).amplitude, 2);
  EXPECT_FALSE(oscillation_of(time, time).frequency);
  EXPECT_FALSE(oscillation_of({}, {}).frequency);
}

}  // namespace
