// A loop in a thread of its own: the same steps, and times that are counted. How long steps take isn't tested.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "haptic/haptic_models.hpp"
#include "quartic/error.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

TEST(HapticLoopTest, StepsAndTellsOfThem) {
  HapticLoop loop(std::make_shared<HapticBall<double>>(beam_world(), usual, over_the_end(0.09, 0.05)));
  loop.set_device(over_the_end(0.08, 0.05));
  while (loop.timing().steps < 50) std::this_thread::yield();
  loop.stop();
  const HapticTiming timing = loop.timing();
  EXPECT_EQ(std::accumulate(timing.counts.begin(), timing.counts.end(), std::int64_t{0}), timing.steps);
  EXPECT_LE(timing.missed, timing.steps);
  EXPECT_GT(timing.longest, 0);
  EXPECT_LE(timing.quantile(0.5), timing.quantile(0.999));
  EXPECT_LE(timing.quantile(0.999), timing.quantile(1));
  EXPECT_LE(timing.quantile(1), timing.longest);
  const HapticSample sample = loop.sample();
  EXPECT_EQ(sample.step, timing.steps);
  EXPECT_NEAR(sample.time, 1e-3 * static_cast<double>(sample.step), 1e-12);
  EXPECT_EQ(sample.device, over_the_end(0.08, 0.05));
  EXPECT_GT(sample.force[2], 0);
  loop.stop();  // again does nothing
}

TEST(HapticLoopTest, QuantilesAreThoseOfTheCounts) {
  HapticTiming timing;
  timing.steps = 1000;
  timing.counts[3] = 990;
  timing.counts[7] = 9;
  timing.counts[HapticTiming::bins - 1] = 1;
  timing.longest = 0.5;
  EXPECT_NEAR(timing.quantile(0.5), 4e-5, 1e-18);
  EXPECT_NEAR(timing.quantile(0.99), 4e-5, 1e-18);
  EXPECT_NEAR(timing.quantile(0.999), 8e-5, 1e-18);
  EXPECT_EQ(timing.quantile(1), 0.5);
  EXPECT_THROW(static_cast<void>(timing.quantile(1.5)), InputError);
}

TEST(HapticLoopTest, WhatAStepThrowsEndsIt) {
  HapticLoop loop(std::make_shared<HapticBall<double>>(beam_world(), usual, over_the_end(0.2, 0.05)));
  loop.set_device({NAN, 0, 0});
  std::string message;
  for (int n = 0; n < 2000 && message.empty(); ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (const auto steps = loop.timing().steps; n > 4 && loop.timing().steps == steps)
      message = message_of([&] { loop.stop(); });
    if (!message.empty()) break;
  }
  EXPECT_NE(message.find("finite"), std::string::npos) << message;
  EXPECT_THROW(HapticLoop(std::shared_ptr<HapticBall<float>>()), InputError);
}

}  // namespace
}  // namespace quartic
