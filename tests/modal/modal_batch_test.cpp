// Steps of modal batches against closed forms, and against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "modal/tested_modal_batch.hpp"
#include "quartic/error.hpp"
#include "quartic/participation.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

// Free, slow, fast; with 0.3 and 0.002 damped little, and beyond the critical damping.
const std::vector<double> eigenvalues = {0, 1e-3, 4, 900, 1e7};
constexpr int modes = 5;

ModalOptions damped(std::int64_t bodies, ForceHold hold = ForceHold::zero_order) {
  return {.bodies = bodies, .rayleigh_mass = 0.3, .rayleigh_stiffness = 0.002, .damping_ratios = {}, .hold = hold};
}

template <class T>
void set_random_modal_body(ModalBatch<T>& batch, std::int64_t body, unsigned number) {
  const auto k = static_cast<int>(batch.rank());
  set_body(batch.q(), body, random_vector(k, 4 * number, 0.3));
  set_body(batch.velocity(), body, random_vector(k, 4 * number + 1, 2));
  set_body(batch.force(), body, random_vector(k, 4 * number + 2, 20));
  set_body(batch.force_before(), body, random_vector(k, 4 * number + 3, 20));
}

template <class T>
std::vector<T> modal_state_of(const ModalBatch<T>& batch, std::int64_t body) {
  std::vector<T> values;
  for (const StateView<const T> view : {batch.q(), batch.velocity(), batch.force_before()})
    for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, body));
  return values;
}

template <class T>
class ModalBatchTest : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ModalBatchTest, Precisions);

// The propagator's own formulas have been compared with 120 digits; here, that a step applies them.
TYPED_TEST(ModalBatchTest, StepsByThePropagator) {
  for (const ForceHold hold : {ForceHold::zero_order, ForceHold::first_order}) {
    TestedModalBatch<TypeParam> batch(eigenvalues, damped(70, hold));
    for (unsigned b = 0; b < 70; ++b) set_random_modal_body(batch, b, b);
    const auto before = modal_state_of(batch, 69);
    const Eigen::VectorXd force = get_body(std::as_const(batch).force(), 69);
    batch.step(0.01);
    EXPECT_DOUBLE_EQ(batch.time(), 0.01);
    for (int i = 0; i < modes; ++i) {
      const ModalPropagator p = modal_propagator(batch.eigenvalues()[i], batch.damping()[i], 0.01);
      const double z = before[i], v = before[modes + i], f1 = force[i];
      const double f0 = hold == ForceHold::first_order ? before[2 * modes + i] : f1;
      const double q = z + p.zz_less_one * z + p.zv * v + p.z_force * f0 + p.z_ramp * (f1 - f0);
      const double velocity = v + p.vz * z + p.vv_less_one * v + p.v_force * f0 + p.v_ramp * (f1 - f0);
      EXPECT_NEAR(batch.q()(i, 69), q, 8 * epsilon<TypeParam> * (std::abs(z) + std::abs(v) + 1));
      EXPECT_NEAR(batch.velocity()(i, 69), velocity, 8 * epsilon<TypeParam> * (std::abs(p.vz * z) + std::abs(v) + 1));
      EXPECT_EQ(batch.force_before()(i, 69),
                hold == ForceHold::first_order ? static_cast<TypeParam>(f1) : before[2 * modes + i]);
    }
  }
}

// Exact whatever the step: a thousand steps are one.
TYPED_TEST(ModalBatchTest, OneLongStepIsManyShortOnes) {
  for (const ForceHold hold : {ForceHold::zero_order, ForceHold::first_order}) {
    TestedModalBatch<TypeParam> one(eigenvalues, damped(3, hold)), many(eigenvalues, damped(3, hold)),
        advanced(eigenvalues, damped(3, hold));
    for (ModalBatch<TypeParam>* batch : {&one, &many, &advanced})
      for (unsigned b = 0; b < 3; ++b) set_random_modal_body(*batch, b, b);
    one.step(2);
    many.step(2, 1000);
    const double tolerance = 1000 * 4 * epsilon<TypeParam>;
    EXPECT_LE(relative_difference<TypeParam>(many.q(), one.q()), tolerance);
    EXPECT_LE(relative_difference<TypeParam>(many.velocity(), one.velocity()), tolerance);
    if (hold == ForceHold::first_order) continue;
    advanced.advance(2);
    EXPECT_EQ(modal_state_of(advanced, 2), modal_state_of(one, 2));
  }
}

TYPED_TEST(ModalBatchTest, FollowsCosineAndParabola) {
  TestedModalBatch<TypeParam> batch(std::vector<double>{0, 9});
  batch.velocity()(0, 0) = 3, batch.force()(0, 0) = 4;  // free: 3 t + 2 t^2
  batch.q()(1, 0) = 2;                                  // 2 cos 3 t
  batch.advance(5);
  EXPECT_NEAR(batch.q()(0, 0), 65, 65 * 4 * epsilon<TypeParam>);
  EXPECT_NEAR(batch.velocity()(0, 0), 23, 23 * 4 * epsilon<TypeParam>);
  EXPECT_NEAR(batch.q()(1, 0), 2 * std::cos(15.0), 16 * epsilon<TypeParam>);
  EXPECT_NEAR(batch.elastic_energy()[0] + batch.kinetic_energy()[0], 18 + 0.5 * 23 * 23, 1500 * epsilon<TypeParam>);
}

TYPED_TEST(ModalBatchTest, DecaysIn60DecibelsPerT60) {
  const DecayTime times[] = {{200, 2}, {4000, 0.3}};
  const RayleighDamping damping = rayleigh_damping(times);
  std::vector<double> lambda;
  for (const DecayTime& time : times) lambda.push_back(std::pow(2 * std::numbers::pi * time.frequency, 2));
  for (int mode = 0; mode < 2; ++mode) {
    TestedModalBatch<TypeParam> batch(lambda, {.rayleigh_mass = damping.mass, .rayleigh_stiffness = damping.stiffness});
    const auto amplitude = [&] {  // of a damped swing
      const double s = batch.damping()[mode] / 2, w = std::sqrt(lambda[mode] - s * s);
      const double q = batch.q()(mode, 0), v = batch.velocity()(mode, 0);
      return std::hypot(q, (v + s * q) / w);
    };
    batch.q()(mode, 0) = 1;
    const double first = amplitude();
    batch.step(times[mode].t60, static_cast<int>(std::lround(44100 * times[mode].t60)));
    EXPECT_NEAR(1000 * amplitude() / first, 1, 1e-3);
  }
}

TYPED_TEST(ModalBatchTest, ImpulsesActAtTheirInstant) {
  // Against a batch that stops there and changes its velocity.
  TestedModalBatch<TypeParam> batch(eigenvalues, damped(5)), stopping(eigenvalues, damped(5));
  for (unsigned b = 0; b < 5; ++b) set_random_modal_body(batch, b, b), set_random_modal_body(stopping, b, b);
  const std::vector<double> jump = {1, -2, 3, 40, 50}, other = {5, 5, 5, 5, 5};
  batch.impulse(3, jump, 0.13);
  batch.impulse(3, other, 0);
  batch.impulse(1, jump, 0.7);
  EXPECT_EQ(batch.waiting_impulses(), 3);
  batch.step(0.1);
  EXPECT_EQ(batch.waiting_impulses(), 2);
  batch.step(0.2, 3);
  EXPECT_EQ(batch.waiting_impulses(), 1);
  const auto add = [&](std::int64_t body, const std::vector<double>& by) {
    for (int i = 0; i < modes; ++i)
      stopping.velocity()(i, body) += static_cast<TypeParam>(by[static_cast<std::size_t>(i)]);
  };
  add(3, other);
  stopping.advance(0.13);
  add(3, jump);
  stopping.advance(0.17);
  EXPECT_LE(relative_difference<TypeParam>(batch.q(), stopping.q()), 40 * epsilon<TypeParam>);
  EXPECT_LE(relative_difference<TypeParam>(batch.velocity(), stopping.velocity()), 40 * epsilon<TypeParam>);
}

TYPED_TEST(ModalBatchTest, PlaceCompanyAndThreadsDoNotMatter) {
  const auto run = [](std::int64_t bodies, std::int64_t place, int threads) {
    ModalOptions options = damped(bodies, ForceHold::first_order);
    options.threads = threads;
    TestedModalBatch<TypeParam> batch(eigenvalues, options);
    for (std::int64_t b = 0; b < bodies; ++b) set_random_modal_body(batch, b, static_cast<unsigned>(b));
    set_random_modal_body(batch, place, 12345);
    batch.impulse(place, std::vector<double>(modes, 0.7), 0.005);
    batch.step(0.02, 2);
    batch.step(0.015);
    return modal_state_of(batch, place);
  };
  const auto alone = run(1, 0, 1);
  for (const std::int64_t place : {0, 1, 7, 31, 500, 999}) EXPECT_EQ(run(1000, place, 1), alone) << place;
  for (const std::int64_t bodies : {2, 7, 8, 15, 16, 17, 33}) EXPECT_EQ(run(bodies, bodies - 1, 1), alone) << bodies;
  for (const int threads : {2, 3, 7}) EXPECT_EQ(run(9000, 8765, threads), alone) << threads;
}

TYPED_TEST(ModalBatchTest, BodiesThatDivergeStayAndSaySo) {
  TestedModalBatch<TypeParam> batch(eigenvalues, damped(20)), healthy(eigenvalues, damped(20));
  for (unsigned b = 0; b < 20; ++b) set_random_modal_body(batch, b, b), set_random_modal_body(healthy, b, b);
  const auto start = modal_state_of(batch, 7);
  batch.force()(2, 7) = static_cast<TypeParam>(NAN);
  batch.step(0.01);
  healthy.step(0.01);
  EXPECT_EQ(batch.status()[7], BodyStatus::diverged);
  EXPECT_EQ(batch.q()(2, 7), start[2]);
  const auto frozen = modal_state_of(batch, 7);
  batch.force()(2, 7) = 0;
  batch.impulse(7, std::vector<double>(modes, 1));
  batch.step(0.01);
  healthy.step(0.01);
  EXPECT_EQ(modal_state_of(batch, 7), frozen);
  for (const std::int64_t other : {6, 8, 19}) {
    EXPECT_EQ(modal_state_of(batch, other), modal_state_of(healthy, other));
    EXPECT_EQ(batch.status()[static_cast<std::size_t>(other)], BodyStatus::ok);
  }
  batch.reset_status();
  batch.step(0.01);
  EXPECT_NE(modal_state_of(batch, 7), frozen);
  EXPECT_EQ(batch.status()[7], BodyStatus::ok);
}

TYPED_TEST(ModalBatchTest, AnImpulseThatIsTooLargeStops) {
  TestedModalBatch<TypeParam> batch(eigenvalues);
  // What T holds, and whose square double does.
  const double huge = std::min(double{std::numeric_limits<TypeParam>::max()},
                               0.9 * std::sqrt(std::numeric_limits<double>::max() / modes));
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(batch.status()[0], BodyStatus::ok);
    batch.impulse(0, std::vector<double>{huge, 0, 0, 0, 0}, 0.01);
    batch.step(0.01);
  }
  EXPECT_EQ(batch.status()[0], BodyStatus::diverged);
  EXPECT_EQ(batch.velocity()(0, 0), static_cast<TypeParam>(huge));
}

// Squares of numbers that double holds needn't be finite.
TYPED_TEST(ModalBatchTest, AnInfiniteEnergyStops) {
  TestedModalBatch<TypeParam> batch(eigenvalues, damped(3));
  const double largest = std::sqrt(std::numeric_limits<double>::max() / modes);
  const auto at = static_cast<TypeParam>(std::min(double{std::numeric_limits<TypeParam>::max()}, 0.9 * largest));
  batch.velocity()(0, 0) = at;  // at the limit of a rigid motion
  batch.q()(4, 1) = at;         // beyond it, since the energy is lambda q^2 / 2
  batch.step(1e-9);
  EXPECT_TRUE(std::isfinite(batch.kinetic_energy()[0]));
  EXPECT_EQ(batch.status()[0], BodyStatus::ok);
  const bool is_finite = std::isfinite(batch.elastic_energy()[1]);
  EXPECT_EQ(is_finite, (std::is_same_v<TypeParam, float>));
  EXPECT_EQ(batch.status()[1], is_finite ? BodyStatus::ok : BodyStatus::diverged);
  EXPECT_EQ(batch.status()[2], BodyStatus::ok);
}

TEST(ModalBatchArguments, AreChecked) {
  const auto message = [](const std::vector<double>& lambda, const ModalOptions& options) {
    return message_of([&] { const ModalBatch<double> batch(lambda, options); });
  };
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message({}, {}), "reduce again");
  expect(message({1, NAN}, {}), "must be finite");
  expect(message({-1, 2}, {}), "no oscillator");
  EXPECT_EQ(message({-1e-9, 2}, {}), "");
  expect(message({1}, {.bodies = 0}), "bodies");
  expect(message({1}, {.rayleigh_mass = -1}), "rayleigh_mass");
  expect(message({1}, {.rayleigh_stiffness = NAN}), "rayleigh_stiffness");
  expect(message({1, 2}, {.damping_ratios = {0.1}}), "damping_ratios");
  expect(message({1}, {.damping_ratios = {-0.1}}), "damping_ratios");
  expect(message({1}, {.hold = static_cast<ForceHold>(2)}), "hold");
  expect(message({1}, {.threads = -1}), "threads");
  ModalBatch<double> batch(std::vector<double>{1, 2});
  const std::vector<double> jump = {1, 1};
  expect(message_of([&] { batch.impulse(1, jump); }), "no body 1");
  expect(message_of([&] { batch.impulse(0, std::vector<double>{1}); }), "each of the 2 modes");
  expect(message_of([&] { batch.impulse(0, jump, -0.1); }), "the past is gone");
  expect(message_of([&] { batch.impulse(0, std::vector<double>{1, NAN}); }), "finite");
  expect(message_of([&] { batch.step(0); }), "dt");
  expect(message_of([&] { batch.advance(-1); }), "the past is gone");
  expect(message_of([&] { batch.set_time(NAN); }), "finite");
}

TEST(ModalBatchArguments, OverdampedModesAreCounted) {
  // c = 1 + 0.1 lambda against 2 sqrt(lambda): at and beyond the critical damping for 0.01 and 1e4, not for 4.
  const ModalBatch<double> batch(std::vector<double>{0, 0.01, 4, 1e4}, {.rayleigh_mass = 1, .rayleigh_stiffness = 0.1});
  EXPECT_EQ(batch.overdamped_modes(), 2);
}

}  // namespace
}  // namespace quartic
