// Packets on the wire: what is damaged, foreign, doubled or out of order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/streaming.hpp"
#include "support/error_message.hpp"
#include "support/support.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr std::int64_t rank = 3, bodies = 4;
constexpr std::uint64_t model = 0x1234567890abcdefU;

SenderOptions options() {
  return {.step = 0.01, .fingerprint = model, .type = AccelerationType::fp64};
}

/// Numbers of bodies that do as they like.
class MadeUpMotion {
 public:
  [[nodiscard]] StateView<const double> q() const { return view(q_); }
  [[nodiscard]] StateView<const double> velocity() const { return view(v_); }
  [[nodiscard]] StateView<const double> acceleration() const { return view(a_); }
  void step() {
    ++number_;
    fill();
  }
  std::vector<BodyStatus> status = std::vector<BodyStatus>(bodies);

 private:
  static StateView<const double> view(const std::vector<double>& x) { return {x.data(), rank, bodies, bodies, 1}; }
  void fill() {
    q_ = random_numbers(rank * bodies, 3 * number_);
    v_ = random_numbers(rank * bodies, 3 * number_ + 1);
    a_ = random_numbers(rank * bodies, 3 * number_ + 2);
  }
  unsigned number_ = 0;
  std::vector<double> q_ = random_numbers(rank * bodies, 0), v_ = random_numbers(rank * bodies, 1),
                      a_ = random_numbers(rank * bodies, 2);
};

std::vector<Packet> sent(AccelerationSender& sender, const MadeUpMotion& motion) {
  const auto packets = sender.send(motion.q(), motion.velocity(), motion.acceleration(), motion.status);
  return {packets.begin(), packets.end()};
}

void expect_equal(const StateView<const double>& a, const StateView<const double>& b) {
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t n = 0; n < bodies; ++n) EXPECT_EQ(a(i, n), b(i, n)) << i << " " << n;
}

TEST(Packet, HasTheBytesThatThePageSays) {
  AccelerationSender sender(rank, bodies, options());
  MadeUpMotion motion;
  (void)sent(sender, motion);
  motion.step();
  const std::vector<Packet> packets = sent(sender, motion);
  ASSERT_EQ(packets.size(), 1U);
  const Packet& packet = packets[0];
  ASSERT_EQ(packet.size(), 64U + 8 * rank * bodies);
  EXPECT_EQ(std::memcmp(packet.data(), "QACC\x01\x01\x02\x00", 8), 0);
  const auto number = [&]<class T>(std::size_t at, T expected) {
    T found{};
    std::memcpy(&found, packet.data() + at, sizeof(T));
    EXPECT_EQ(found, expected) << at;
  };
  number(8, model);
  number(16, std::uint64_t{1});
  number(24, 0.01);
  number(32, std::uint64_t{0});
  number(40, std::uint32_t{bodies});
  number(44, std::uint32_t{rank});
  number(48, std::uint32_t{1});
  number(56, std::uint32_t{8 * rank * bodies});
  number(64 + 8 * (2 * bodies + 1), motion.acceleration()(2, 1));
}

// Each checksum finds any single wrong bit.
TEST(Packet, IsRefusedWithAnyWrongBitAndAnyLength) {
  for (const AccelerationType type : {AccelerationType::fp16, AccelerationType::fp32, AccelerationType::fp64}) {
    SenderOptions chosen = options();
    chosen.type = type;
    AccelerationSender sender(rank, bodies, chosen);
    MadeUpMotion motion;
    Packet packet = sent(sender, motion)[0];
    AccelerationReceiver receiver(rank, bodies, {.fingerprint = model});
    for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
      packet[bit / 8] ^= std::byte{1} << (bit % 8);
      ASSERT_EQ(receiver.receive(packet), PacketFate::damaged) << bit;
      packet[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    for (std::size_t size = 0; size < packet.size(); ++size)
      ASSERT_EQ(receiver.receive(std::span(packet).first(size)), PacketFate::damaged) << size;
    EXPECT_EQ(receiver.step(), -1);
    EXPECT_EQ(receiver.receive(packet), PacketFate::state);
    EXPECT_TRUE(receiver.started());
  }
}

TEST(Packet, OfOthersIsForeign) {
  AccelerationSender sender(rank, bodies, options());
  MadeUpMotion motion;
  const Packet state = sent(sender, motion)[0];
  motion.step();
  const Packet next = sent(sender, motion)[0];
  AccelerationReceiver other(rank, bodies, {.fingerprint = model + 1}), fewer(rank, bodies - 1, {.fingerprint = model}),
      shorter(rank - 1, bodies, {.fingerprint = model}), receiver(rank, bodies, {.fingerprint = model});
  for (AccelerationReceiver* wrong : {&other, &fewer, &shorter}) EXPECT_EQ(wrong->receive(state), PacketFate::foreign);
  EXPECT_EQ(receiver.receive(next), PacketFate::foreign) << "there is no state yet";
  EXPECT_EQ(receiver.receive(state), PacketFate::state);
  EXPECT_EQ(receiver.receive(state), PacketFate::duplicate);
  SenderOptions slower = options(), otherwise = options();
  slower.step = 0.02;
  otherwise.rule = {0, 1, 1};
  AccelerationSender with_other_step(rank, bodies, slower), with_other_rule(rank, bodies, otherwise);
  EXPECT_EQ(receiver.receive(sent(with_other_step, motion)[0]), PacketFate::foreign);
  EXPECT_EQ(receiver.receive(sent(with_other_rule, motion)[0]), PacketFate::foreign);
  EXPECT_EQ(receiver.counts().packets[static_cast<int>(PacketFate::foreign)], 3);
}

// In any order within the window, some twice: the same as in order.
TEST(Packet, MayComeInAnyOrder) {
  AccelerationSender sender(rank, bodies, options());
  MadeUpMotion motion;
  AccelerationReceiver in_order(rank, bodies, {.fingerprint = model}), shuffled(rank, bodies, {.fingerprint = model});
  std::vector<Packet> packets;
  for (int n = 0; n <= 20; ++n) {
    packets.push_back(sent(sender, motion)[0]);
    motion.step();
  }
  for (const Packet& packet : packets) {
    (void)in_order.receive(packet);
    if (in_order.latest() > in_order.step()) in_order.advance();
  }
  ASSERT_EQ(shuffled.receive(packets[0]), PacketFate::state);
  for (int n = 20; n >= 1; --n) {
    ASSERT_EQ(shuffled.receive(packets[static_cast<std::size_t>(n)]), PacketFate::taken);
    ASSERT_EQ(shuffled.receive(packets[static_cast<std::size_t>(n)]), PacketFate::duplicate);
  }
  EXPECT_EQ(shuffled.latest(), 20);
  EXPECT_TRUE(shuffled.has(20));
  while (shuffled.step() < 20) shuffled.advance();
  EXPECT_FALSE(shuffled.has(20)) << "it is over";
  expect_equal(shuffled.q(), in_order.q());
  expect_equal(shuffled.velocity(), in_order.velocity());
  EXPECT_EQ(shuffled.counts().guessed, 0);
  EXPECT_TRUE(shuffled.missing().empty());
}

TEST(Packet, TooFarAheadWaitsForAWholeState) {
  SenderOptions often = options();
  often.keyframe_interval = 50;
  AccelerationSender sender(rank, bodies, often);
  MadeUpMotion motion;
  AccelerationReceiver receiver(rank, bodies, {.fingerprint = model, .window = 8});
  for (int n = 0; n <= 50; ++n) {
    const Packet packet = sent(sender, motion)[0];
    if (n == 0 || n == 50) {
      EXPECT_EQ(receiver.receive(packet), PacketFate::state);
    }
    if (n == 9) {
      EXPECT_EQ(receiver.receive(packet), PacketFate::beyond);
    }
    if (n < 50) motion.step();
  }
  EXPECT_EQ(receiver.step(), 50);
  expect_equal(receiver.q(), motion.q());
  expect_equal(receiver.acceleration(), motion.acceleration());
}

// Bodies in several packets, of which one is lost: the others move as if it were there.
TEST(Packet, HasAsManyBodiesAsItsBytesHold) {
  SenderOptions small = options();
  small.most_bytes = 64 + 24 + 3 * 8 * rank * 1;  // of a whole state one body, of accelerations four
  AccelerationSender sender(rank, bodies, small);
  MadeUpMotion motion;
  AccelerationReceiver receiver(rank, bodies, {.fingerprint = model});
  const std::vector<Packet> states = sent(sender, motion);
  ASSERT_EQ(states.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_LE(states[n].size(), static_cast<std::size_t>(small.most_bytes));
    EXPECT_EQ(receiver.started(), false);
    EXPECT_EQ(receiver.receive(states[3 - n]), PacketFate::state);
  }
  EXPECT_TRUE(receiver.started());
  expect_equal(receiver.q(), motion.q());
  motion.step();
  EXPECT_EQ(sent(sender, motion).size(), 1U);
  small.most_bytes = 100;
  EXPECT_NE(message_of([&] { (void)AccelerationSender(rank, bodies, small); }).find("most_bytes"), std::string::npos);
}

TEST(Packet, TellsOfBodiesThatDiverged) {
  AccelerationSender sender(rank, bodies, options());
  MadeUpMotion motion;
  AccelerationReceiver receiver(rank, bodies, {.fingerprint = model});
  const auto transmit = [&] {
    const std::vector<Packet> packets = sent(sender, motion);
    for (const Packet& packet : packets) EXPECT_NE(receiver.receive(packet), PacketFate::damaged);
    if (receiver.latest() > receiver.step()) receiver.advance();
    return packets.size();
  };
  EXPECT_EQ(transmit(), 1U);
  motion.step();
  motion.status[1] = motion.status[2] = BodyStatus::diverged;
  EXPECT_EQ(transmit(), 2U);
  const std::vector<double> where = {motion.q()(0, 1), motion.q()(0, 2)};
  EXPECT_EQ(receiver.stopped()[0] + receiver.stopped()[3], 0);
  EXPECT_EQ(receiver.stopped()[1] + receiver.stopped()[2], 2);
  for (int n = 0; n < 3; ++n) {
    motion.step();
    EXPECT_EQ(transmit(), 1U);
    EXPECT_EQ(receiver.q()(0, 1), where[0]);
    EXPECT_EQ(receiver.velocity()(2, 2), 0);
    EXPECT_NE(receiver.velocity()(2, 3), 0);
  }
  motion.status[1] = BodyStatus::ok;
  motion.step();
  EXPECT_EQ(transmit(), 2U) << "a whole state, and that the other still stays";
  EXPECT_EQ(receiver.stopped()[1], 0);
  EXPECT_EQ(receiver.stopped()[2], 1);
  EXPECT_EQ(receiver.q()(1, 1), motion.q()(1, 1));
}

TEST(PacketReader, FindsPacketsBetweenOtherBytes) {
  AccelerationSender sender(rank, bodies, options());
  MadeUpMotion motion;
  std::vector<Packet> packets;
  std::vector<std::byte> line;
  for (int n = 0; n < 5; ++n) {
    packets.push_back(sent(sender, motion)[0]);
    motion.step();
    line.insert(line.end(), packets.back().begin(), packets.back().end());
    if (n == 1) line.insert(line.end(), 37, std::byte{'Q'});
    if (n == 2) line[line.size() - packets.back().size() + 9] ^= std::byte{1};  // its header is damaged
  }
  PacketReader reader;
  std::vector<Packet> found;
  for (std::size_t n = 0; n < line.size(); n += 11) {
    reader.feed(std::span(line).subspan(n, std::min<std::size_t>(11, line.size() - n)));
    while (std::optional<Packet> packet = reader.next()) found.push_back(std::move(*packet));
  }
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1], packets[1]);
  EXPECT_EQ(found[2], packets[3]);
  EXPECT_EQ(found[3], packets[4]);
  EXPECT_EQ(reader.skipped_bytes(), static_cast<std::int64_t>(37 + packets[2].size()));
}

TEST(AccelerationSender, RefusesWhatCantBeSent) {
  const auto message = [](SenderOptions options) {
    return message_of([&] { (void)AccelerationSender(rank, bodies, options); });
  };
  SenderOptions wrong = options();
  wrong.step = 0;
  EXPECT_NE(message(wrong).find("step"), std::string::npos);
  wrong = options();
  wrong.rule = difference_rule;
  EXPECT_NE(message(wrong).find("closed_loop"), std::string::npos);
  wrong.rule.after = 0.5;
  wrong.closed_loop = true;
  EXPECT_NE(message(wrong).find("difference_rule"), std::string::npos);
  wrong = options();
  wrong.closed_loop = true;
  wrong.position_gain = 1, wrong.velocity_gain = 1.5;
  EXPECT_NE(message(wrong).find("stable"), std::string::npos);
  AccelerationSender sender(rank, bodies, options());
  const std::vector<double> broken(rank * bodies, std::numeric_limits<double>::quiet_NaN());
  const StateView<const double> view{broken.data(), rank, bodies, bodies, 1};
  EXPECT_NE(message_of([&] { (void)sender.send(view, view, view); }).find("finite"), std::string::npos);
  EXPECT_EQ(sender.steps(), 0);
}

}  // namespace
}  // namespace quartic
