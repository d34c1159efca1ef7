// What becomes of a motion whose accelerations are lost: the lemma and the theorem for each integrator, and recoveries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/streaming.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr double sent_step = 0.01;
constexpr int sent_rank = 4;
constexpr std::int64_t sent_bodies = 5;

struct Recorded {
  AccelerationRule rule;
  std::vector<std::vector<Packet>> packets;  // of each step
  std::vector<Eigen::MatrixXd> q, velocity, acceleration;
};

Eigen::MatrixXd all_bodies(const StateView<const double>& view) {
  Eigen::MatrixXd values(view.rank, view.bodies);
  for (std::int64_t b = 0; b < view.bodies; ++b) values.col(b) = get_body(view, b);
  return values;
}

/// Bodies of a nonlinear model under constant forces, sent step by step.
Recorded recorded(const BatchOptions& options, int steps, SenderOptions sending = {}) {
  BatchOptions of_bodies = options;
  of_bodies.bodies = sent_bodies;
  Batch<double> batch(random_squares(sent_rank, 3).energy(), of_bodies);
  for (unsigned b = 0; b < sent_bodies; ++b) {
    set_random_body(batch, b, b);
    set_body(batch.acceleration(), b, Eigen::VectorXd::Zero(sent_rank));
  }
  sending.step = sent_step;
  sending.rule = acceleration_rule(batch.options());
  sending.type = AccelerationType::fp64;
  AccelerationSender sender(sent_rank, sent_bodies, sending);
  Recorded result{.rule = sending.rule, .packets = {}, .q = {}, .velocity = {}, .acceleration = {}};
  batch.step(sent_step);  // from here on the acceleration is the motion's own
  for (int n = 0; n <= steps; ++n) {
    const auto packets = sender.send(batch);
    result.packets.emplace_back(packets.begin(), packets.end());
    result.q.push_back(all_bodies(std::as_const(batch).q()));
    result.velocity.push_back(all_bodies(std::as_const(batch).velocity()));
    result.acceleration.push_back(all_bodies(std::as_const(batch).acceleration()));
    batch.step(sent_step);
  }
  return result;
}

/// Receives all steps but the lost ones; each of these comes `late` steps later, or never.
/// @param look called after each step with its number and the receiver
template <class Look>
void receive(AccelerationReceiver& receiver, const Recorded& motion, const std::map<int, int>& late, const Look& look) {
  const auto steps = static_cast<int>(motion.packets.size());
  std::multimap<int, int> arrivals;
  for (const auto& [step, by] : late) arrivals.emplace(step + by, step);
  for (int n = 0; n < steps; ++n) {
    if (!late.contains(n))
      for (const Packet& packet : motion.packets[static_cast<std::size_t>(n)]) (void)receiver.receive(packet);
    while (receiver.step() < n) receiver.advance();
    const auto [first, last] = arrivals.equal_range(n);
    for (auto it = first; it != last; ++it)
      for (const Packet& packet : motion.packets[static_cast<std::size_t>(it->second)]) (void)receiver.receive(packet);
    look(n, receiver);
  }
}

constexpr int never = 1 << 20;

double error(const Eigen::MatrixXd& expected, const StateView<const double>& found) {
  return (expected - all_bodies(found)).cwiseAbs().maxCoeff();
}

BatchOptions options_of(Integrator integrator) {
  return {.integrator = integrator, .rayleigh_mass = 0.1, .newton_iterations = 2};
}

std::vector<BatchOptions> all_options() {
  std::vector<BatchOptions> result;
  for (const Integrator integrator : all_integrators) result.push_back(options_of(integrator));
  BatchOptions damped = options_of(Integrator::newmark);
  damped.newmark_beta = 0.3025, damped.newmark_gamma = 0.6;
  result.push_back(damped);
  return result;
}

// Round-off of 200 sums of numbers of size 1.
TEST(AccelerationStream, GivesTheMotionOfEachIntegratorBack) {
  for (const BatchOptions& options : all_options()) {
    const Recorded motion = recorded(options, 200);
    AccelerationReceiver receiver(sent_rank, sent_bodies);
    double worst_q = 0, worst_velocity = 0;
    receive(receiver, motion, {}, [&](int n, const AccelerationReceiver& r) {
      const auto k = static_cast<std::size_t>(n);
      worst_q = std::max(worst_q, error(motion.q[k], r.q()));
      worst_velocity = std::max(worst_velocity, error(motion.velocity[k], r.velocity()));
      EXPECT_EQ(error(motion.acceleration[k], r.acceleration()), 0);
    });
    EXPECT_LT(worst_q, 1e-13 * motion.q[0].cwiseAbs().maxCoeff() * 30) << integrator_name(options.integrator);
    EXPECT_LT(worst_velocity, 1e-11) << integrator_name(options.integrator);
  }
}

// The appendix's lemma and theorem, and what becomes of them with other rules: measured beside the formula, in units of
// h^2 times the acceleration.
TEST(LostAcceleration, DistortsAsTheTheoremSays) {
  constexpr int lost = 20;
  for (const BatchOptions& options : all_options()) {
    const Recorded motion = recorded(options, 80);
    AccelerationReceiver receiver(sent_rank, sent_bodies, {.recovery = Recovery::zero}), whole(sent_rank, sent_bodies);
    std::vector<Eigen::MatrixXd> q, velocity;
    receive(whole, motion, {}, [&](int, const AccelerationReceiver& r) {
      q.push_back(all_bodies(r.q()));
      velocity.push_back(all_bodies(r.velocity()));
    });
    const Eigen::MatrixXd& a = motion.acceleration[lost];
    receive(receiver, motion, {{lost, never}}, [&](int n, const AccelerationReceiver& r) {
      const LossDistortion expected = loss_distortion(motion.rule, sent_step, n - lost);
      const auto k = static_cast<std::size_t>(n);
      EXPECT_LT(error(q[k] - expected.q * a, r.q()), 1e-12) << integrator_name(options.integrator) << n;
      EXPECT_LT(error(velocity[k] - expected.velocity * a, r.velocity()), 1e-12 * 10);
    });
    EXPECT_EQ(receiver.counts().guessed, sent_bodies);
    if (options.integrator == Integrator::newmark && options.newmark_beta == 0.25)
      for (int k = 0; k < 5; ++k) {
        const LossDistortion distortion = loss_distortion(motion.rule, sent_step, k);
        EXPECT_DOUBLE_EQ(distortion.q, (k == 0 ? 0.25 : k) * sent_step * sent_step);
        EXPECT_DOUBLE_EQ(distortion.velocity, (k == 0 ? 0.5 : 1) * sent_step);
      }
  }
}

// Several at once, some of which are late by more than others; the first is made up for while the second is missing.
// What comes after step s acts in steps s + 1 and s + 2, whose acceleration is also the next step's first.
TEST(LostAcceleration, IsMadeUpForWhenItIsLate) {
  const std::map<int, int> late = {{10, 1}, {20, 3}, {21, 10}, {25, 6}, {40, 0}, {41, 30}, {42, 2}};
  for (const BatchOptions& options : all_options()) {
    const Recorded motion = recorded(options, 100);
    AccelerationReceiver receiver(sent_rank, sent_bodies, {.recovery = Recovery::late});
    double largest = 0;
    receive(receiver, motion, late, [&](int n, const AccelerationReceiver& r) {
      const auto k = static_cast<std::size_t>(n);
      const bool made_up = n < 10 || (n > 13 && n < 20) || (n > 33 && n < 40) || n > 73;
      if (made_up) {
        EXPECT_LT(error(motion.q[k], r.q()), 1e-12) << integrator_name(options.integrator) << " " << n;
        EXPECT_LT(error(motion.velocity[k], r.velocity()), 1e-11);
      } else {
        largest = std::max(largest, error(motion.q[k], r.q()));
      }
    });
    EXPECT_GT(largest, 1e-3) << "it was missing until then";
    EXPECT_EQ(receiver.counts().packets[static_cast<int>(PacketFate::repaired)], std::ssize(late));
    EXPECT_TRUE(receiver.missing().empty());
  }
}

TEST(LostAcceleration, IsGuessedAsTheRecoverySays) {
  const Recorded motion = recorded(options_of(Integrator::newmark), 30);
  for (const auto& [recovery, expected] : std::vector<std::pair<Recovery, Eigen::MatrixXd>>{
           {Recovery::zero, Eigen::MatrixXd::Zero(sent_rank, sent_bodies)},
           {Recovery::hold, motion.acceleration[11]},
           {Recovery::interpolate, 0.5 * (motion.acceleration[11] + motion.acceleration[13])}}) {
    AccelerationReceiver receiver(sent_rank, sent_bodies, {.recovery = recovery});
    for (int n = 0; n <= 13; ++n) {
      if (n != 12)
        for (const Packet& packet : motion.packets[static_cast<std::size_t>(n)]) (void)receiver.receive(packet);
      if (n == 12) {
        EXPECT_FALSE(receiver.has(12));
      } else if (n < 12) {
        while (receiver.step() < n) receiver.advance();
      }
    }
    receiver.advance();
    EXPECT_EQ(error(expected, receiver.acceleration()), 0) << recovery_name(recovery);
    EXPECT_EQ(receiver.missing(), std::vector<std::int64_t>{12});
    for (const Packet& packet : motion.packets[12]) EXPECT_EQ(receiver.receive(packet), PacketFate::late);
  }
}

/// V = 1/2 sum lambda q^2.
QuarticEnergy springs(const Eigen::VectorXd& lambda) {
  const Eigen::Index r = lambda.size();
  return SumOfSquares{lambda.cwiseSqrt().asDiagonal(),
                      std::vector<Eigen::MatrixXd>(static_cast<std::size_t>(r), Eigen::MatrixXd::Zero(r, r))}
      .energy();
}

// A linear body in free vibration is known from its state: nothing is missed, however much is lost.
TEST(LostAcceleration, IsKnownFromTheModelInFreeVibration) {
  const Eigen::VectorXd lambda = Eigen::Vector4d(10, 40, 300, 900);
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    BatchOptions options{
        .bodies = sent_bodies, .integrator = integrator, .rayleigh_mass = 0.2, .rayleigh_stiffness = 1e-3};
    Batch<double> batch(springs(lambda), options);
    for (unsigned b = 0; b < sent_bodies; ++b) set_body(batch.velocity(), b, random_vector(sent_rank, b, 2));
    AccelerationSender sender(sent_rank, sent_bodies,
                              {.rule = acceleration_rule(options), .step = sent_step, .type = AccelerationType::fp64});
    ReceiverOptions receiving{.recovery = Recovery::model, .rayleigh_mass = 0.2, .rayleigh_stiffness = 1e-3};
    receiving.stiffness = Matrix(sent_rank, sent_rank);
    for (int i = 0; i < sent_rank; ++i) receiving.stiffness(i, i) = lambda[i];
    AccelerationReceiver receiver(sent_rank, sent_bodies, receiving);
    batch.step(sent_step);
    for (int n = 0; n <= 300; ++n) {
      const auto packets = sender.send(batch);
      if (n == 0 || n % 3 == 1) (void)receiver.receive(packets[0]);
      while (receiver.step() < n) receiver.advance();
      EXPECT_LT(relative_difference(receiver.q(), std::as_const(batch).q()), 1e-10) << n;
      batch.step(sent_step);
    }
    EXPECT_EQ(receiver.counts().guessed, 200 * sent_bodies);
  }
}

// Whole states end what was missing before them.
TEST(LostAcceleration, IsForgottenAtTheNextWholeState) {
  SenderOptions sending;
  sending.keyframe_interval = 25;
  const Recorded motion = recorded(options_of(Integrator::newmark), 60, sending);
  AccelerationReceiver receiver(sent_rank, sent_bodies, {.recovery = Recovery::late});
  // Step 20 comes when step 25 is there already, step 24 as the whole state is next.
  receive(receiver, motion, {{20, 8}, {24, 0}, {30, never}, {50, 5}}, [&](int n, const AccelerationReceiver& r) {
    const auto k = static_cast<std::size_t>(n);
    if (n == 25 || n == 29) {
      EXPECT_LT(error(motion.q[k], r.q()), 1e-13);
    }
    if (n > 31 && n < 50) {
      EXPECT_GT(error(motion.q[k], r.q()), 1e-4);
    }
  });
  EXPECT_EQ(receiver.counts().packets[static_cast<int>(PacketFate::late)], 1) << "step 20";
}

TEST(LostAcceleration, CanBeSentAgain) {
  Batch<double> batch(random_squares(sent_rank, 3).energy(), {.bodies = sent_bodies});
  for (unsigned b = 0; b < sent_bodies; ++b) set_random_body(batch, b, b);
  AccelerationSender sender(sent_rank, sent_bodies, {.step = sent_step, .type = AccelerationType::fp64, .history = 4});
  AccelerationReceiver receiver(sent_rank, sent_bodies, {.recovery = Recovery::late});
  for (int n = 0; n <= 6; ++n) {
    const auto packets = sender.send(batch);
    if (n != 3) (void)receiver.receive(packets[0]);
    while (receiver.step() < n) receiver.advance();
    batch.step(sent_step);
  }
  EXPECT_EQ(receiver.missing(), std::vector<std::int64_t>{3});
  const std::vector<Packet> again = sender.send_again(3);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(receiver.receive(again[0]), PacketFate::repaired);
  EXPECT_EQ(receiver.receive(again[0]), PacketFate::duplicate);
  EXPECT_TRUE(sender.send_again(2).empty()) << "four steps are kept";
  EXPECT_TRUE(sender.send_again(7).empty()) << "it hasn't been";
}

// Of another integrator's rule a receiver would have another motion.
TEST(AccelerationSender, RefusesABatchOfAnotherRule) {
  const Batch<double> batch(random_squares(sent_rank, 3).energy(), {.integrator = Integrator::backward_euler});
  AccelerationSender sender(sent_rank, 1, {.step = sent_step});
  EXPECT_THROW((void)sender.send(batch), InputError);
}

// By accelerations of other steps, too: a step left out, one of another length, or one in parts.
TEST(AccelerationSender, NoticesStepsThatArentIts) {
  const auto refusal = [](const auto& move) {
    Batch<double> batch(random_squares(sent_rank, 3).energy(), {});
    AccelerationSender sender(sent_rank, 1, {.rule = acceleration_rule(batch.options()), .step = sent_step});
    for (int n = 0; n < 100; ++n) {
      (void)sender.send(batch);
      batch.step(sent_step);
    }
    move(batch);
    return message_of([&] { (void)sender.send(batch); });
  };
  EXPECT_EQ(refusal([](Batch<double>&) {}), "");
  EXPECT_NE(refusal([](Batch<double>& b) { b.step(sent_step); }).find("after each step"), std::string::npos);
  EXPECT_NE(refusal([](Batch<double>& b) { b.set_time(0); }).find("after each step"), std::string::npos);
  const auto in_parts = [](Batch<double>& b) {
    b.set_time(b.time() - sent_step);
    b.step(sent_step, 2);
  };
  EXPECT_NE(refusal(in_parts).find("take no substeps"), std::string::npos);
  ModalBatch<double> modes(std::vector<double>{1, 2});
  AccelerationSender sender(2, 1, {.rule = difference_rule, .step = sent_step, .closed_loop = true});
  (void)sender.send(modes);
  modes.step(sent_step, 3);  // as exact as one
  (void)sender.send(modes);
  EXPECT_EQ(sender.steps(), 2);
  modes.step(2 * sent_step);
  EXPECT_NE(message_of([&] { (void)sender.send(modes); }).find("after each step"), std::string::npos);
  EXPECT_EQ(sender.steps(), 2) << "nothing was sent";
}

// A body's numbers don't depend on how many others there are.
TEST(AccelerationReceiver, IsTheSameForABodyAloneBitByBit) {
  BatchOptions options = options_of(Integrator::newmark);
  options.bodies = 7;
  const QuarticEnergy energy = random_squares(sent_rank, 3).energy();
  Batch<double> many(energy, options);
  options.bodies = 1;
  Batch<double> one(energy, options);
  for (unsigned b = 0; b < 7; ++b) set_random_body(many, b, b);
  set_random_body(one, 0, 5);
  AccelerationSender to_many(sent_rank, 7, {.step = sent_step}), to_one(sent_rank, 1, {.step = sent_step});
  AccelerationReceiver from_many(sent_rank, 7), from_one(sent_rank, 1);
  for (int n = 0; n < 50; ++n) {
    const auto a = to_many.send(many);
    const auto b = to_one.send(one);
    if (n % 9 != 4) (void)from_many.receive(a[0]), (void)from_one.receive(b[0]);
    while (from_many.step() < n) from_many.advance(), from_one.advance();
    for (int i = 0; i < sent_rank; ++i) {
      ASSERT_EQ(from_many.q()(i, 5), from_one.q()(i, 0));
      ASSERT_EQ(from_many.velocity()(i, 5), from_one.velocity()(i, 0));
    }
    many.step(sent_step);
    one.step(sent_step);
  }
}

}  // namespace
}  // namespace quartic
