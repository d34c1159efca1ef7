// What a receiver makes of split whole states, stops, stiff modes, foreign senders and numbers that don't fit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/streaming.hpp"
#include "support/error_message.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr double step_of_two = 0.01;

/// One coordinate of two bodies, by average acceleration.
struct TwoBodies {
  double q[2] = {1, 2}, v[2] = {0.5, -1}, a[2] = {3, -2};

  static StateView<const double> view(const double* x) { return {x, 1, 2, 2, 1}; }
  void step(int n) {
    for (int b = 0; b < 2; ++b) {
      const double next = std::sin(n + 2.0 * b);
      q[b] += step_of_two * v[b] + step_of_two * step_of_two / 4 * (a[b] + next);
      v[b] += step_of_two / 2 * (a[b] + next);
      a[b] = next;
    }
  }
  std::vector<Packet> sent(AccelerationSender& sender, std::vector<BodyStatus> status = {}) const {
    const auto packets = sender.send(view(q), view(v), view(a), status);
    return {packets.begin(), packets.end()};
  }
};

/// A packet for each body.
SenderOptions of_single_bodies(std::int64_t keyframes) {
  return {.step = step_of_two,
          .type = AccelerationType::fp64,
          .keyframe_interval = keyframes,
          .most_bytes = 64 + 24 + 3 * 8};
}

// Steps 1 .. 19 and the second body's part of the whole state at step 20 are lost.
TEST(SplitState, IsWaitedForAndReplayed) {
  for (const Recovery recovery : {Recovery::hold, Recovery::late}) {
    TwoBodies bodies;
    AccelerationSender sender(1, 2, of_single_bodies(20));
    AccelerationReceiver receiver(1, 2, {.recovery = recovery, .window = 8});
    std::vector<Packet> lost;
    double where = 0;
    for (int n = 0; n <= 25; ++n) {
      if (n > 0) bodies.step(n);
      const std::vector<Packet> packets = bodies.sent(sender);
      if (n == 0 || n > 20)
        for (const Packet& packet : packets) (void)receiver.receive(packet);
      if (n == 0) where = receiver.q()(0, 1);
      if (n == 20) {
        ASSERT_EQ(packets.size(), 2U);
        EXPECT_EQ(receiver.receive(packets[0]), PacketFate::state);
        lost.push_back(packets[1]);
      }
      while (n > 20 && receiver.step() < n) receiver.advance();
      if (n < 20) continue;
      EXPECT_FALSE(receiver.started());
      EXPECT_EQ(receiver.missing(), std::vector<std::int64_t>{20});
      EXPECT_EQ(receiver.q()(0, 1), where) << "it stays until its own state comes";
      EXPECT_EQ(receiver.velocity()(0, 1), 0);
      EXPECT_NEAR(receiver.q()(0, 0), bodies.q[0], 1e-13);
    }
    for (const Packet& packet : sender.send_again(20)) (void)receiver.receive(packet);
    EXPECT_TRUE(receiver.started());
    EXPECT_TRUE(receiver.missing().empty());
    EXPECT_NEAR(receiver.q()(0, 1), bodies.q[1], 1e-13);
    EXPECT_NEAR(receiver.velocity()(0, 1), bodies.v[1], 1e-13);
    EXPECT_EQ(receiver.receive(lost[0]), PacketFate::duplicate);
  }
}

TEST(SplitState, CanBeAskedForAtTheStart) {
  TwoBodies bodies;
  AccelerationSender sender(1, 2, of_single_bodies(0));
  AccelerationReceiver receiver(1, 2);
  EXPECT_EQ(receiver.receive(bodies.sent(sender)[0]), PacketFate::state);
  EXPECT_EQ(receiver.missing(), std::vector<std::int64_t>{0});
  for (int n = 1; n <= 3; ++n) {
    bodies.step(n);
    for (const Packet& packet : bodies.sent(sender)) (void)receiver.receive(packet);
    receiver.advance();
  }
  for (const Packet& packet : sender.send_again(0)) (void)receiver.receive(packet);
  EXPECT_TRUE(receiver.started());
  EXPECT_NEAR(receiver.q()(0, 1), bodies.q[1], 1e-14);
}

// A receiver that stays behind plays what comes before the stop, and then the body stays where it stopped.
TEST(StoppedBody, StaysAtAReceiverThatIsBehind) {
  TwoBodies bodies;
  AccelerationSender sender(1, 2, {.step = step_of_two, .type = AccelerationType::fp64});
  AccelerationReceiver receiver(1, 2, {.recovery = Recovery::late});
  std::vector<double> q;
  for (int n = 0; n <= 12; ++n) {
    if (n > 0) bodies.step(n);
    if (n > 8) bodies.q[1] = q[8];
    q.push_back(bodies.q[1]);
    std::vector<BodyStatus> status(2);
    if (n >= 8) status[1] = BodyStatus::diverged;
    for (const Packet& packet : bodies.sent(sender, status)) (void)receiver.receive(packet);
    while (receiver.step() < n - 5) receiver.advance();
    EXPECT_EQ(receiver.stopped()[1], 0) << n;
  }
  while (receiver.step() < 12) {
    receiver.advance();
    const auto step = static_cast<std::size_t>(receiver.step());
    EXPECT_EQ(receiver.stopped()[1], step >= 8 ? 1 : 0);
    EXPECT_NEAR(receiver.q()(0, 1), q[step], step >= 8 ? 0 : 1e-14) << step;
  }
}

// A minute of a slow and a stiff mode, one in fifty steps lost: omega h from 0.05 to 3.
TEST(StiffModes, ArentShakenUpByTheModel) {
  constexpr double h = 0.01;
  for (const double omega : {5.0, 30.0, 100.0, 300.0}) {
    Matrix stiffness(1, 1);
    stiffness(0, 0) = omega * omega;
    AccelerationSender sender(1, 1, {.step = h, .type = AccelerationType::fp64});
    AccelerationReceiver receiver(1, 1, {.recovery = Recovery::model, .stiffness = stiffness});
    std::mt19937_64 engine(3);
    double q = 1, v = 0, a = -omega * omega, largest = 0;
    for (int n = 0; n <= 6000; ++n) {
      const StateView<const double> views[] = {{&q, 1, 1, 1, 1}, {&v, 1, 1, 1, 1}, {&a, 1, 1, 1, 1}};
      const auto packets = sender.send(views[0], views[1], views[2]);
      if (n == 0 || engine() % 50 != 0) (void)receiver.receive(packets[0]);
      while (receiver.step() < n) receiver.advance();
      largest = std::max(largest, std::abs(receiver.q()(0, 0) - q));
      const double kick = n % 50 == 10 ? 20 : 0;  // a force that a receiver doesn't know
      const double next = (kick - omega * omega * (q + h * v + h * h / 4 * a)) / (1 + omega * omega * h * h / 4);
      q += h * v + h * h / 4 * (a + next);
      v += h / 2 * (a + next);
      a = next;
    }
    EXPECT_LT(largest, 40) << omega;  // a few kicks missed: each drifts by 20 h t
    EXPECT_GT(receiver.counts().guessed, 80);
  }
}

TEST(Receiver, BeginsAnewAfterAReset) {
  TwoBodies bodies;
  AccelerationSender first(1, 2, of_single_bodies(0)), second(1, 2, of_single_bodies(0));
  AccelerationReceiver receiver(1, 2, {.window = 4});
  for (const Packet& packet : bodies.sent(first)) (void)receiver.receive(packet);
  for (int n = 0; n < 20; ++n) receiver.advance();
  bodies.step(1);
  const std::vector<Packet> states = bodies.sent(second);
  EXPECT_EQ(receiver.receive(states[0]), PacketFate::late);
  receiver.reset();
  EXPECT_EQ(receiver.step(), -1);
  EXPECT_FALSE(receiver.started());
  for (const Packet& packet : states) EXPECT_EQ(receiver.receive(packet), PacketFate::state);
  EXPECT_TRUE(receiver.started());
  EXPECT_EQ(receiver.q()(0, 1), bodies.q[1]);
}

TEST(Receiver, RefusesNumbersThatArentFiniteAndMoreThanMemoryHolds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ReceiverOptions good{.recovery = Recovery::model, .stiffness = Matrix(1, 1), .force = {1}};
  good.stiffness(0, 0) = 4;
  const auto message = [](const ReceiverOptions& options) {
    return message_of([&] { (void)AccelerationReceiver(1, 1, options); });
  };
  (void)AccelerationReceiver(1, 1, good);
  ReceiverOptions wrong = good;
  wrong.stiffness(0, 0) = nan;
  EXPECT_NE(message(wrong).find("finite"), std::string::npos);
  wrong = good;
  wrong.force = {nan};
  EXPECT_NE(message(wrong).find("finite"), std::string::npos);
  for (const double damping : {nan, -1.0}) {
    wrong = good;
    wrong.rayleigh_mass = damping;
    EXPECT_NE(message(wrong).find("Rayleigh"), std::string::npos);
    wrong = good;
    wrong.rayleigh_stiffness = damping;
    EXPECT_NE(message(wrong).find("Rayleigh"), std::string::npos);
  }
  const std::string large =
      message_of([] { (void)AccelerationReceiver(1000, 1000, {.recovery = Recovery::zero, .window = 1 << 20}); });
  EXPECT_NE(large.find("window"), std::string::npos);
}

// Beyond the type's range the largest number is sent; the other body isn't hurt.
TEST(Packet, HoldsTheLargestNumberOfItsType) {
  for (const AccelerationType type : {AccelerationType::fp16, AccelerationType::fp32}) {
    AccelerationSender sender(1, 2, {.step = step_of_two, .type = type});
    AccelerationReceiver receiver(1, 2);
    TwoBodies bodies;
    EXPECT_EQ(receiver.receive(bodies.sent(sender)[0]), PacketFate::state);
    bodies.a[0] = -std::numeric_limits<double>::max();
    EXPECT_EQ(receiver.receive(bodies.sent(sender)[0]), PacketFate::taken);
    receiver.advance();
    EXPECT_LT(receiver.acceleration()(0, 0), -3e38);
    EXPECT_TRUE(std::isfinite(receiver.acceleration()(0, 0)));
  }
}

TEST(PacketReader, FindsThePacketBehindATruncatedOne) {
  AccelerationSender sender(1, 2, {.step = step_of_two, .type = AccelerationType::fp64});
  TwoBodies bodies;
  const Packet first = bodies.sent(sender)[0], second = bodies.sent(sender)[0], third = bodies.sent(sender)[0];
  PacketReader reader;
  reader.feed(std::span(first).first(first.size() - 5));
  reader.feed(second);
  reader.feed(third);
  EXPECT_EQ(reader.next(), second);
  EXPECT_EQ(reader.next(), third);
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.skipped_bytes(), static_cast<std::int64_t>(first.size()) - 5);
}

}  // namespace
}  // namespace quartic
