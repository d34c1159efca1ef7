// What a hand feels, and that it gets no energy out of it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "haptic/haptic_models.hpp"
#include "quartic/error.hpp"
#include "support/free_batches.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

TEST(HapticBallTest, InTheAirTheBallIsAtTheDevice) {
  HapticBall<double> ball(beam_world(), usual, over_the_end(0.3, 0.05));
  for (int n = 0; n < 20; ++n) {
    const std::array<double, 3> device = over_the_end(0.3 - 1e-3 * n, 0.05);
    const HapticSample& sample = ball.step(device);
    EXPECT_EQ(sample.contacts, 0);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(sample.ball[k], device[k], 1e-15);
      EXPECT_NEAR(sample.force[k], 0, 1e-12);
    }
  }
  EXPECT_EQ(ball.sample().step, 20);
  EXPECT_NEAR(ball.sample().time, 0.02, 1e-15);
}

// At rest the hand bears what the contacts do, and the beam holds it: three springs in series.
TEST(HapticBallTest, AtRestTheHandBearsWhatTheContactsDo) {
  for (const double contact_stiffness : {1e5, 1e7}) {
    HapticBall<double> ball(beam_world(contact_stiffness), usual, over_the_end(0.12, 0.05));
    for (int n = 0; n < 3000; ++n) ball.step(over_the_end(n < 100 ? 0.12 - 5e-4 * n : 0.07, 0.05));
    const HapticSample& sample = ball.sample();
    ASSERT_GT(sample.contacts, 0);
    double squares = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(sample.force[k], sample.contact_force[k], 1e-6 * std::abs(sample.force[2])) << k;
      EXPECT_NEAR(sample.force[k], 400 * (sample.ball[k] - sample.device[k]), 1e-12);
      squares += sample.force[k] * sample.force[k];
    }
    EXPECT_GT(sample.force[2], 0.5) << "pushes up";
    double on_body = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double f = ball.world().contact_wrench()[k];
      on_body += f * f;
    }
    EXPECT_NEAR(on_body, squares, 1e-5 * squares) << "action and reaction";
  }
}

// Presses, moves along the beam and waits: friction holds the hand back, and nothing trembles, which would be felt as a
// buzz at half the rate of the steps. Then the hand bears what the contacts do.
TEST(HapticBallTest, FrictionIsFeltWithoutTrembling) {
  constexpr double friction = 0.5;
  HapticBall<double> ball(beam_world(1e6, friction), usual, over_the_end(0.12, 0.05));
  std::array<double, 3> before{};
  double largest_change = 0, dragged = 0, pressed = 0;
  for (int n = 0; n < 5000; ++n) {
    std::array<double, 3> device = over_the_end(n < 500 ? 0.12 - 1e-4 * n : 0.07, 0.05);
    device[0] -= n < 1000 ? 0 : 2e-5 * std::min(n - 1000, 1000);
    const HapticSample& sample = ball.step(device);
    double change = 0;
    for (std::size_t k = 0; k < 3; ++k) change = std::max(change, std::abs(sample.force[k] - before[k]));
    if (n > 700) largest_change = std::max(largest_change, change);
    before = sample.force;
    if (n > 1500 && n < 2000) dragged += sample.force[0] / 499, pressed += sample.force[2] / 499;
  }
  ASSERT_GT(ball.sample().contacts, 0);
  EXPECT_GT(pressed, 0.5);
  EXPECT_NEAR(dragged / pressed, friction, 0.25 * friction) << "held back, besides by the slope of the bent beam";
  EXPECT_LT(largest_change, 0.05 * pressed) << "points come and go, one by one";
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(ball.sample().force[k], ball.sample().contact_force[k], 1e-3 * pressed) << k;
}

TEST(HapticBallTest, TheForceIsNoLargerThanTheDeviceBears) {
  HapticOptions options = usual;
  options.largest_force = 0.5;
  HapticBall<double> ball(beam_world(), options, over_the_end(0.12, 0.05));
  for (int n = 0; n < 400; ++n) {
    const HapticSample& sample = ball.step(over_the_end(0.12 - 1e-4 * n, 0.05));
    EXPECT_LE(std::hypot(sample.force[0], sample.force[1], sample.force[2]), 0.5 * (1 + 1e-15));
  }
  EXPECT_NEAR(std::hypot(ball.sample().force[0], ball.sample().force[1], ball.sample().force[2]), 0.5, 1e-12);
}

// The least energy that a hand puts into a coupling to a wall, which holds the ball where it is: the device's own
// damping, and the force that is held for a period while the device moves on. `motion` gives x, at rest before 0.
template <class Motion>
double least_work(const HapticOptions& o, double device_damping, const Motion& motion) {
  constexpr int parts = 200, steps = 300;
  double work = 0, least = 0, sampled = motion(0), before = sampled;
  for (int n = 0; n < steps; ++n) {
    const double force = -o.stiffness * sampled - o.damping * (sampled - before) / o.period;
    double x = motion(n * o.period);
    for (int m = 1; m <= parts; ++m) {
      const double next = motion((n + static_cast<double>(m) / parts) * o.period), way = next - x;
      work += (device_damping * way / (o.period / parts) - force) * way;
      x = next;
    }
    before = std::exchange(sampled, x);
    least = std::min(least, work);
  }
  return least;
}

TEST(HapticBallTest, NoMotionGetsEnergyOutOfAPassiveCoupling) {
  const double b = 0.7, period = 1e-3;
  for (const double damping : {0.0, 0.3}) {
    HapticOptions options{.stiffness = largest_passive_stiffness(b, damping, period), .damping = damping};
    EXPECT_DOUBLE_EQ(options.stiffness, 2 * (b - damping) / period);
    for (unsigned seed = 0; seed < 50; ++seed) {
      const std::vector<double> c = random_numbers(16, seed);
      const auto motion = [&](double t) {  // waves of up to twice the sampling rate, that begin at rest
        double x = 0;
        for (std::size_t n = 0; n < 8; ++n) x += c[n] * (1 - std::cos((1 + c[8 + n]) * std::numbers::pi / period * t));
        return 1e-3 * x;
      };
      EXPECT_GT(least_work(options, b, motion), -1e-9 * options.stiffness * 1e-6) << seed;
    }
  }
}

// To and fro at an even speed, turning at each sample: the bound is sharp.
TEST(HapticBallTest, AboveTheBoundSomeMotionDoes) {
  const double b = 0.7, period = 1e-3;
  const double damping = 0.3, most = largest_passive_stiffness(b, damping, period);
  const auto to_and_fro = [&](double t) {
    const double whole = std::floor(t / period), part = t / period - whole;
    const bool up = std::fmod(whole, 2) == 0;
    return 1e-3 * (up ? part : 1 - part);
  };
  EXPECT_GT(least_work({.stiffness = 0.999 * most, .damping = damping}, b, to_and_fro), -1e-12);
  EXPECT_LT(least_work({.stiffness = 1.02 * most, .damping = damping}, b, to_and_fro), -1e-8);
  EXPECT_EQ(largest_passive_stiffness(0.2, 0.3, 1e-3), 0);
}

TEST(HapticBallTest, RefusesWhatIsNotPassive) {
  const auto expect = [](HapticOptions options, const std::string& part) {
    expect_refused([&] { HapticBall<double>(beam_world(), options, {}); }, part);
  };
  expect({.stiffness = 1001, .device_damping = 0.5}, "allows 1000 N/m");
  expect({.stiffness = 900, .damping = 0.1, .device_damping = 0.5}, "allows 800 N/m");
  expect({.period = 0}, "period");
  expect({.radius = -1}, "radius");
  expect({.stiffness = 0}, "stiffness");
  expect({.damping = -1}, "damping");
  expect({.device_damping = -1}, "device_damping");
  expect({.largest_force = 0}, "largest_force");
  expect_refused([] { HapticBall<double>(nullptr, usual, {}); }, "world");
  expect_refused([] { HapticBall<double>(beam_world(), usual, {NAN, 0, 0}); }, "finite");
  HapticBall<double> ball(beam_world(), usual, {0, 0, 5});
  expect_refused([&] { ball.step({0, INFINITY, 0}); }, "finite");
  ball.world().colliders().push_back(ball.world().colliders()[0]);
  expect_refused([&] { ball.step({}); }, "another ball");
  EXPECT_EQ(ball.sample().step, 0);
}

}  // namespace
}  // namespace quartic
