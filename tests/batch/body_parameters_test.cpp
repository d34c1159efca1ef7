// What a body has of its own in a batch: damping and a load curve.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/error.hpp"
#include "support/batch_states.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

template <class T>
class BodyParametersTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BodyParametersTest, Precisions);

constexpr std::int64_t bodies = 21;

std::vector<double> ramp(double first, double step) {
  std::vector<double> values;
  for (std::int64_t b = 0; b < bodies; ++b) values.push_back(first + step * static_cast<double>(b));
  return values;
}

TYPED_TEST(BodyParametersTest, DampingIsEachBodysOwn) {
  const QuarticEnergy energy = random_squares(5, 3).energy();
  const std::vector<double> mass = ramp(0, 0.125), stiffness = ramp(0.01, -0.0003);
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    TestedBatch<TypeParam> batch(energy, {.bodies = bodies, .integrator = integrator, .rayleigh_mass = 7});
    EXPECT_EQ(batch.rayleigh_mass()[20], TypeParam{7});
    batch.set_rayleigh_damping(mass, stiffness);
    EXPECT_EQ(batch.rayleigh_stiffness()[20], static_cast<TypeParam>(stiffness[20]));
    for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
    batch.step(0.03, 3);
    for (const std::size_t b : {0, 1, 15, 16, 20}) {
      TestedBatch<TypeParam> alone(
          energy, {.integrator = integrator, .rayleigh_mass = mass[b], .rayleigh_stiffness = stiffness[b]});
      set_random_body(alone, 0, static_cast<unsigned>(b));
      alone.step(0.03, 3);
      EXPECT_EQ(full_state(batch, static_cast<std::int64_t>(b)), full_state(alone, 0)) << b;
    }
  }
}

TYPED_TEST(BodyParametersTest, BadDampingChangesNothing) {
  TestedBatch<TypeParam> batch(duffing(1, 1), {.bodies = bodies, .rayleigh_mass = 2, .rayleigh_stiffness = 3});
  const std::vector<double> good = ramp(0, 1);
  std::vector<double> bad = good;
  for (const double value : {-1.0, std::nan(""), double{INFINITY}}) {
    bad[20] = value;
    EXPECT_THROW(batch.set_rayleigh_damping(good, bad), InputError);
    EXPECT_THROW(batch.set_rayleigh_damping(bad, good), InputError);
  }
  bad.pop_back();
  EXPECT_THROW(batch.set_rayleigh_damping(good, bad), InputError);
  EXPECT_EQ(batch.rayleigh_mass()[5], TypeParam{2});
  EXPECT_EQ(batch.rayleigh_stiffness()[5], TypeParam{3});
}

// A ramp up, a jump down at 0.4 s, a slow fall.
const LoadCurve sample_curve = {.times = {0.1, 0.4, 0.4, 2}, .scales = {0, 3, 1, -1}};

double scale_of_sample(double t) {
  if (t < 0.1) return 0;
  if (t < 0.4) return 10 * (t - 0.1);
  return t < 2 ? 1 - (t - 0.4) / 0.8 : -1;
}

// A body far heavier than its spring is stiff: each step's change of velocity tells the force that acted.
TYPED_TEST(BodyParametersTest, CurvesAreLinearBetweenPoints) {
  for (const Integrator integrator : all_integrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    TestedBatch<TypeParam> batch(duffing(0, 0), {.bodies = 2, .integrator = integrator});
    batch.set_load_curves({{sample_curve}}, std::vector<std::int32_t>{-1, 0});
    batch.force()(0, 0) = batch.force()(0, 1) = 4;
    const double dt = 0.0625;  // steps are sums of powers of two: times are exact
    for (int n = 0; n < 40; ++n) {
      const double t0 = n * dt, t1 = t0 + dt;
      ASSERT_EQ(batch.time(), t0);
      const TypeParam before = batch.velocity()(0, 1), acceleration = batch.acceleration()(0, 1);
      batch.step(dt);
      const double change = static_cast<double>(batch.velocity()(0, 1) - before) / dt;
      const double f0 = 4 * scale_of_sample(t0), f1 = 4 * scale_of_sample(t1);
      double expected = f1;  // backward Euler
      if (integrator == Integrator::newmark) expected = 0.5 * (static_cast<double>(acceleration) + f1);  // trapezoid
      if (integrator == Integrator::central_differences || integrator == Integrator::energy_conserving)
        expected = 0.5 * (f0 + f1);
      // A velocity of at most 8 is rounded, and divided by 1/16.
      ASSERT_NEAR(change, expected, 8 * 16 * 8 * double{std::numeric_limits<TypeParam>::epsilon()}) << t0;
    }
    // Newmark's first step begins with the stored acceleration, zero, and loses half a step of the force.
    const double lost = integrator == Integrator::newmark ? 4 * dt / 2 : 0;
    EXPECT_NEAR(static_cast<double>(batch.velocity()(0, 0)), 4 * 40 * dt - lost, 1e-5);
  }
}

// Sums of 0.1 are a little below 0.8, 0.9, 1.0: a jump there isn't missed by a step.
TYPED_TEST(BodyParametersTest, JumpsComeInTimeWhateverTheRounding) {
  for (const double jump : {0.3, 0.8, 1.0, 4.7}) {
    TestedBatch<TypeParam> batch(duffing(0, 0), {.integrator = Integrator::backward_euler});
    batch.set_load_curves({{LoadCurve{.times = {0, jump, jump}, .scales = {0, 0, 1}}}}, std::vector<std::int32_t>{0});
    batch.force()(0, 0) = 1;
    int still = 0;
    while (batch.velocity()(0, 0) == TypeParam{0}) {
      batch.step(0.1);
      ++still;
    }
    EXPECT_EQ(still, std::lround(10 * jump)) << jump;  // the force acts in the step that ends at the jump
  }
}

TEST(BodyParametersTest, WhatOverflowsFloatIsRefused) {
  TestedBatch<float> batch(duffing(1, 1));
  const std::vector<double> huge = {1e39}, zero = {0};
  EXPECT_THROW(batch.set_rayleigh_damping(huge, zero), InputError);
  EXPECT_THROW(batch.set_rayleigh_damping(zero, huge), InputError);
  EXPECT_THROW(TestedBatch<float>(duffing(1, 1), {.rayleigh_mass = 1e39}), InputError);
  EXPECT_THROW(batch.set_load_curves({{LoadCurve{.times = {0}, .scales = {-1e39}}}}, std::vector<std::int32_t>{0}),
               InputError);
  TestedBatch<double> fine(duffing(1, 1));
  EXPECT_NO_THROW(fine.set_rayleigh_damping(huge, zero));
}

// The order of convergence holds with a smooth load, here a sine of many points (error of the curve: 1e-8).
TEST(BodyParametersTest, LoadsThatChangeKeepTheOrder) {
  LoadCurve sine;
  for (int n = 0; n <= 20000; ++n) {
    sine.times.push_back(n / 20000.0);
    sine.scales.push_back(std::sin(2 * std::numbers::pi * n / 20000.0));
  }
  const QuarticEnergy energy = random_squares(4, 9).energy();
  const auto end = [&](Integrator integrator, int steps) {
    TestedBatch<double> batch(energy, {.integrator = integrator, .newton_iterations = 6});
    batch.set_load_curves({{sine}}, std::vector<std::int32_t>{0});
    set_body(batch.force(), 0, random_vector(4, 3, 30));
    batch.step(0.5, steps);
    return get_body<double>(batch.q(), 0);
  };
  const Eigen::VectorXd exact = (4 * end(Integrator::newmark, 10000) - end(Integrator::newmark, 5000)) / 3;
  for (const Integrator integrator : all_integrators) {
    const double coarse = (end(integrator, 250) - exact).norm(), fine = (end(integrator, 500) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), integrator == Integrator::backward_euler ? 1 : 2, 0.1)
        << static_cast<int>(integrator);
  }
}

TYPED_TEST(BodyParametersTest, CompanyWithCurvesDoesNotMatter) {
  const QuarticEnergy energy = random_squares(5, 3).energy();
  const std::vector<LoadCurve> curves = {sample_curve, {.times = {0}, .scales = {0.5}}};
  std::vector<std::int32_t> curve_of_body;
  for (int b = 0; b < bodies; ++b) curve_of_body.push_back(b % 3 - 1);
  for (const Integrator integrator : all_integrators) {
    TestedBatch<TypeParam> batch(energy, {.bodies = bodies, .integrator = integrator, .threads = 2});
    batch.set_load_curves(curves, curve_of_body);
    for (unsigned b = 0; b < bodies; ++b) set_random_body(batch, b, b);
    batch.step(0.2, 7);
    batch.step(0.2, 1);
    for (const std::int64_t b : {0, 1, 2, 17, 18, 19}) {
      TestedBatch<TypeParam> alone(energy, {.integrator = integrator});
      const std::int32_t curve = curve_of_body[static_cast<std::size_t>(b)];
      if (curve >= 0) alone.set_load_curves(curves, {{curve}});
      set_random_body(alone, 0, static_cast<unsigned>(b));
      for (int n = 0; n < 7; ++n) alone.step(0.2 / 7);
      alone.step(0.2);
      EXPECT_EQ(full_state(batch, b), full_state(alone, 0)) << b;
    }
  }
}

TYPED_TEST(BodyParametersTest, CurvesCanBeTakenAwayAndTimeSet) {
  TestedBatch<TypeParam> batch(duffing(4, 0), {.bodies = 2}), plain(duffing(4, 0), {.bodies = 2});
  for (TestedBatch<TypeParam>* b : {&batch, &plain}) b->force()(0, 0) = 1;
  batch.set_load_curves({{LoadCurve{.times = {0}, .scales = {9}}}}, std::vector<std::int32_t>{0, 0});
  EXPECT_EQ(batch.load_curves().size(), 1U);
  EXPECT_EQ(batch.curve_of_body().size(), 2U);
  batch.set_load_curves({}, {});
  EXPECT_TRUE(batch.load_curves().empty());
  batch.set_time(-5);
  batch.step(0.1);
  plain.step(0.1);
  EXPECT_EQ(full_state(batch, 0), full_state(plain, 0));
  EXPECT_DOUBLE_EQ(batch.time(), -4.9);
  EXPECT_THROW(batch.set_time(std::nan("")), InputError);
}

TYPED_TEST(BodyParametersTest, BadCurvesChangeNothing) {
  TestedBatch<TypeParam> batch(duffing(1, 1), {.bodies = 2});
  const std::vector<std::int32_t> first = {0, 0};
  const auto refuse = [&](const LoadCurve& curve, const std::string& word) {
    try {
      batch.set_load_curves({{curve}}, first);
      ADD_FAILURE() << "accepted, not refused for '" << word << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refuse({}, "at least one point");
  refuse({.times = {0, 1}, .scales = {1}}, "as many scales as times");
  refuse({.times = {0, -1}, .scales = {1, 1}}, "ascend");
  refuse({.times = {0, std::nan("")}, .scales = {1, 1}}, "finite");
  refuse({.times = {0}, .scales = {INFINITY}}, "finite");
  const LoadCurve good = {.times = {0}, .scales = {1}};
  EXPECT_THROW(batch.set_load_curves({{good}}, {{0}}), InputError);
  EXPECT_THROW(batch.set_load_curves({{good}}, {{0, 1}}), InputError);
  EXPECT_THROW(batch.set_load_curves({{good}}, {{0, -2}}), InputError);
  EXPECT_TRUE(batch.load_curves().empty());
}

}  // namespace
}  // namespace quartic
