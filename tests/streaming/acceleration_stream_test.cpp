// Ten seconds of twenty modes at 100 Hz: rounding, closed loops, exact steps, and losses by chance.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "quartic/error.hpp"
#include "quartic/streaming.hpp"
#include "support/batch_states.hpp"
#include "support/error_message.hpp"
#include "support/sample_energies.hpp"

namespace quartic {
namespace {

using namespace test;

constexpr double h = 0.01, alpha = 0.1, beta = 2e-4;
constexpr int modes = 20, steps = 1000;

std::vector<double> eigenvalues() {
  std::vector<double> result;
  for (int i = 0; i < modes; ++i) result.push_back(std::pow(2 * std::numbers::pi * (0.5 + 7.5 * i / (modes - 1)), 2));
  return result;
}

QuarticEnergy linear_energy() {
  Eigen::VectorXd roots(modes);
  for (int i = 0; i < modes; ++i) roots[i] = std::sqrt(eigenvalues()[static_cast<std::size_t>(i)]);
  return SumOfSquares{roots.asDiagonal(), std::vector<Eigen::MatrixXd>(modes, Eigen::MatrixXd::Zero(modes, modes))}
      .energy();
}

/// A kick twice a second.
template <class B>
void kick(B& batch, int n) {
  const bool kicks = n % 50 == 1;
  for (std::int64_t i = 0; i < modes; ++i)
    batch.force()(i, 0) = kicks ? 30 * random_numbers(modes, static_cast<unsigned>(n))[static_cast<std::size_t>(i)] : 0;
}

struct Outcome {
  double last = 0, largest = 0;  // errors over the root mean square of the motion
  StreamCounts counts;
};

/// @param lost whether a step is
template <class B, class Lost>
Outcome transmitted(B& batch, const SenderOptions& sending, const ReceiverOptions& receiving, const Lost& lost) {
  AccelerationSender sender(modes, 1, sending);
  AccelerationReceiver receiver(modes, 1, receiving);
  std::vector<double> errors;
  double squares = 0;
  std::vector<Eigen::VectorXd> past;
  // An interpolating receiver stays a step behind.
  const int delay = receiving.recovery == Recovery::interpolate ? 1 : 0;
  for (int n = 0; n <= steps; ++n) {
    for (const Packet& packet : sender.send(std::as_const(batch)))
      if (!lost(n)) (void)receiver.receive(packet);
    if (receiving.recovery == Recovery::late && n >= 3 && lost(n - 3))
      for (const Packet& packet : sender.send_again(n - 3)) (void)receiver.receive(packet);
    while (receiver.step() < n - delay) receiver.advance();
    past.push_back(get_body(std::as_const(batch).q(), 0));
    squares += past.back().squaredNorm() / steps;
    if (n >= delay) errors.push_back((get_body(receiver.q(), 0) - past[static_cast<std::size_t>(n - delay)]).norm());
    kick(batch, n + 1);
    batch.step(h);
  }
  const double amplitude = std::sqrt(squares);
  return {errors.back() / amplitude, *std::ranges::max_element(errors) / amplitude, receiver.counts()};
}

constexpr auto nothing = [](int) { return false; };

Batch<double> newmark() {
  return Batch<double>(linear_energy(), {.rayleigh_mass = alpha, .rayleigh_stiffness = beta});
}

SenderOptions sending(AccelerationType type, bool closed_loop) {
  return {.step = h, .type = type, .closed_loop = closed_loop};
}

// Rounding adds up as n^1.5 where nobody looks, and doesn't where the sender leads the receiver back.
TEST(AccelerationStream, OfHalvesIsBoundedInAClosedLoop) {
  const auto outcome = [](AccelerationType type, bool closed_loop) {
    Batch<double> batch = newmark();
    return transmitted(batch, sending(type, closed_loop), {}, nothing).largest;
  };
  const double open = outcome(AccelerationType::fp16, false), closed = outcome(AccelerationType::fp16, true);
  RecordProperty("open", std::to_string(open));
  RecordProperty("closed", std::to_string(closed));
  EXPECT_GT(open, 1e-2);
  EXPECT_LT(closed, 1e-4);
  EXPECT_LT(outcome(AccelerationType::fp32, false), 1e-4);
  EXPECT_LT(outcome(AccelerationType::fp32, true), 1e-7);
  EXPECT_LT(outcome(AccelerationType::fp64, false), 1e-11);
}

// Exact steps: second differences give q at each step but for their rounding, which h^2 makes small.
TEST(AccelerationStream, OfExactStepsIsOfDifferences) {
  for (const auto& [type, bound] : std::vector<std::pair<AccelerationType, double>>{
           {AccelerationType::fp64, 1e-12}, {AccelerationType::fp32, 1e-7}, {AccelerationType::fp16, 2e-4}}) {
    ModalBatch<double> batch(eigenvalues(), {.rayleigh_mass = alpha, .rayleigh_stiffness = beta});
    SenderOptions options = sending(type, true);
    options.rule = difference_rule;
    EXPECT_LT(transmitted(batch, options, {}, nothing).largest, bound);
  }
  ModalBatch<double> batch(eigenvalues());
  AccelerationSender open(modes, 1, sending(AccelerationType::fp32, true));
  EXPECT_NE(message_of([&] { (void)open.send(batch); }).find("difference_rule"), std::string::npos);
}

// A body's true accelerations by an integrator's rule, without a closed loop: why those are refused. At omega h = 0.5
// the receiver is off by more than the motion (of a sine's start 1060 % of the amplitude after 10 s).
TEST(AccelerationStream, OfTrueAccelerationsWouldBeOff) {
  const double omega = 2 * std::numbers::pi * 8;
  double q = 0, v = omega, worst = 0;
  for (int n = 1; n <= steps; ++n) {
    const double before = -omega * omega * std::sin(omega * h * (n - 1)),
                 now = -omega * omega * std::sin(omega * h * n);
    q += h * v + h * h / 4 * (before + now);
    v += h / 2 * (before + now);
    worst = std::max(worst, std::abs(q - std::sin(omega * h * n)));
  }
  EXPECT_NEAR(worst, 10.64, 0.01);
}

// Two in a hundred lost. Errors over the amplitude at the end fall from recovery to recovery, to round-off.
TEST(AccelerationStream, RecoversBetterTheMoreItKnows) {
  std::mt19937_64 engine(7);
  std::vector<bool> lost(steps + 4);
  for (std::size_t n = 1; n + 5 < lost.size(); ++n) lost[n] = engine() % 50 == 0;
  const auto is_lost = [&](int n) { return bool{lost[static_cast<std::size_t>(n)]}; };
  const auto outcome = [&](Recovery recovery, std::int64_t keyframes) {
    Batch<double> batch = newmark();
    SenderOptions options = sending(AccelerationType::fp64, false);
    options.keyframe_interval = keyframes;
    ReceiverOptions receiving{.recovery = recovery, .rayleigh_mass = alpha, .rayleigh_stiffness = beta};
    receiving.stiffness = Matrix(modes, modes);
    for (int i = 0; i < modes; ++i) receiving.stiffness(i, i) = eigenvalues()[static_cast<std::size_t>(i)];
    return transmitted(batch, options, receiving, is_lost);
  };
  double last = 1e9;
  for (const Recovery recovery : {Recovery::zero, Recovery::interpolate, Recovery::model, Recovery::late}) {
    const Outcome found = outcome(recovery, 0);
    EXPECT_LT(found.last, last) << recovery_name(recovery);
    last = found.last;
    RecordProperty(std::string(recovery_name(recovery)), std::to_string(found.last));
    EXPECT_EQ(found.counts.guessed, std::ranges::count(lost, true));
    if (recovery == Recovery::zero) {
      EXPECT_GT(found.last, 1);
    }
    EXPECT_LT(outcome(recovery, 100).largest, found.largest + 1e-12) << "whole states bound it";
  }
  EXPECT_LT(last, 1e-11);
}

}  // namespace
}  // namespace quartic
