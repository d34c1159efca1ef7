#include "cli/runs/transmission.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "cli/runs/lossy_line.hpp"

namespace quartic::cli {

namespace {

/// A receiver beside the motion that it should have.
class Observed {
 public:
  Observed(const TransmissionOptions& options, std::size_t number)
      : receiver_(options.rank, options.bodies, options.receivers[number]),
        delay_(options.delays[number]),
        squares_(static_cast<std::size_t>(options.bodies)),
        errors_(squares_.size()),
        largest_(squares_.size()) {
    findings_.recovery = options.receivers[number].recovery;
  }

  void take(const std::vector<Packet>& packets) {
    for (const Packet& packet : packets) (void)receiver_.receive(packet);
  }
  /// @param past the motion's last steps, the newest last
  void look(std::int64_t step, const std::deque<std::vector<double>>& past) {
    while (receiver_.step() < step - delay_) receiver_.advance();
    const StateView<const double> found = receiver_.q();
    const std::vector<double>& q = past[past.size() - 1 - static_cast<std::size_t>(std::min(delay_, step))];
    for (std::int64_t body = 0; body < found.bodies; ++body) {
      double error = 0, square = 0;
      for (std::int64_t i = 0; i < found.rank; ++i) {
        const double x = q[static_cast<std::size_t>(body * found.rank + i)];
        error += (x - found(i, body)) * (x - found(i, body));
        square += x * x;
      }
      const auto b = static_cast<std::size_t>(body);
      squares_[b] += square;
      errors_[b] = std::sqrt(error);
      largest_[b] = std::max(largest_[b], errors_[b]);
    }
  }
  [[nodiscard]] ReceptionFindings findings(std::int64_t steps) {
    for (std::size_t b = 0; b < squares_.size(); ++b) {
      const double amplitude = std::sqrt(squares_[b] / static_cast<double>(steps));
      if (amplitude == 0) continue;
      findings_.last_error = std::max(findings_.last_error, errors_[b] / amplitude);
      findings_.largest_error = std::max(findings_.largest_error, largest_[b] / amplitude);
    }
    findings_.counts = receiver_.counts();
    return findings_;
  }

 private:
  AccelerationReceiver receiver_;
  std::int64_t delay_;
  std::vector<double> squares_, errors_, largest_;  // by body
  ReceptionFindings findings_;
};

std::vector<double> by_body(const StateView<const double>& view) {
  std::vector<double> values;
  for (std::int64_t body = 0; body < view.bodies; ++body)
    for (std::int64_t i = 0; i < view.rank; ++i) values.push_back(view(i, body));
  return values;
}

/// The same motion in full precision to two receivers, of which one never gets one step.
class LossExperiment {
 public:
  LossExperiment(const TransmissionOptions& options, const AccelerationRule& rule)
      : rule_(rule),
        lost_(options.steps / 2),
        sender_(options.rank, options.bodies,
                {.rule = rule, .step = options.sender.step, .type = AccelerationType::fp64}),
        whole_(options.rank, options.bodies, {.recovery = Recovery::zero}),
        lacking_(options.rank, options.bodies, {.recovery = Recovery::zero}) {}

  void look(StreamedMotion& motion, std::int64_t step) {
    for (const Packet& packet : motion.send(sender_)) {
      (void)whole_.receive(packet);
      if (step != lost_) (void)lacking_.receive(packet);
    }
    while (whole_.step() < step) whole_.advance(), lacking_.advance();
    if (step == lost_) acceleration_ = by_body(whole_.acceleration());
    for (const std::int64_t after : {0, 1, 2, 5, 10, 50})
      if (step == lost_ + after) measure(after);
  }
  [[nodiscard]] const std::vector<MeasuredDistortion>& found() const { return found_; }

 private:
  [[nodiscard]] double share(const StateView<const double>& whole, const StateView<const double>& lacking) const {
    const std::vector<double> a = by_body(whole), b = by_body(lacking);
    double product = 0, square = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
      product += (a[n] - b[n]) * acceleration_[n];
      square += acceleration_[n] * acceleration_[n];
    }
    return square > 0 ? product / square : 0;
  }
  void measure(std::int64_t after) {
    const double h = whole_.step_length();
    const LossDistortion expected = loss_distortion(rule_, h, after);
    found_.push_back({after,
                      {share(whole_.q(), lacking_.q()) / (h * h), share(whole_.velocity(), lacking_.velocity()) / h},
                      {expected.q / (h * h), expected.velocity / h}});
  }

  AccelerationRule rule_;
  std::int64_t lost_;
  AccelerationSender sender_;
  AccelerationReceiver whole_, lacking_;
  std::vector<double> acceleration_;
  std::vector<MeasuredDistortion> found_;
};

std::int64_t count_diverged(const StreamedMotion& motion) {
  return std::ranges::count(motion.status(), BodyStatus::diverged);
}

/// Steps the motion, and calls `look` with each step's number, from 0 on.
template <class Look>
void run(StreamedMotion& motion, const ForceAt& force, const TransmissionOptions& options, const Look& look) {
  for (std::int64_t step = 0; step <= options.steps; ++step) {
    if (step > 0) motion.step(force(static_cast<double>(step - 1) * options.sender.step));
    look(step);
  }
}

}  // namespace

TransmissionFindings transmit(StreamedMotion& motion, const ForceAt& force, const TransmissionOptions& options) {
  AccelerationSender sender(options.rank, options.bodies, options.sender);
  LossyLine line(options.line);
  std::vector<Observed> receivers;
  for (std::size_t n = 0; n < options.receivers.size(); ++n) receivers.emplace_back(options, n);
  const std::int64_t most_delay = options.delays.empty() ? 0 : std::ranges::max(options.delays);
  std::optional<LossExperiment> experiment;
  // Step 0 is a whole state, which isn't to be lost.
  if (!options.sender.rule.of_differences && options.steps >= 2) experiment.emplace(options, options.sender.rule);
  std::deque<std::vector<double>> past;
  run(motion, force, options, [&](std::int64_t step) {
    past.push_back(by_body(motion.q()));
    if (std::ssize(past) > most_delay + 1) past.pop_front();
    const std::vector<Packet> arrived = line.pass(sender, motion.send(sender));
    for (Observed& receiver : receivers) {
      receiver.take(arrived);
      receiver.look(step, past);
    }
    if (experiment) experiment->look(motion, step);
  });
  TransmissionFindings findings{.rule = options.sender.rule,
                                .steps = options.steps,
                                .lost = line.lost(),
                                .bytes = line.bytes(),
                                .diverged = count_diverged(motion)};
  for (Observed& receiver : receivers) findings.receptions.push_back(receiver.findings(options.steps));
  if (experiment) findings.distortions = experiment->found();
  return findings;
}

TransmissionFindings send(StreamedMotion& motion, const ForceAt& force, const TransmissionOptions& options,
                          const std::function<void(const Packet&)>& take) {
  AccelerationSender sender(options.rank, options.bodies, options.sender);
  LossyLine line(options.line);
  run(motion, force, options, [&](std::int64_t) {
    for (const Packet& packet : line.pass(sender, motion.send(sender))) take(packet);
  });
  return {.rule = options.sender.rule,
          .steps = options.steps,
          .lost = line.lost(),
          .bytes = line.bytes(),
          .diverged = count_diverged(motion)};
}

Reception receive(AccelerationReceiver& receiver, std::int64_t delay,
                  const std::function<std::vector<std::byte>()>& read) {
  Reception result;
  PacketReader packets;
  const auto record = [&] {
    result.trajectory.time.push_back(static_cast<double>(receiver.step()) * receiver.step_length());
    const std::vector<double> q = by_body(receiver.q());
    result.trajectory.q.insert(result.trajectory.q.end(), q.begin(), q.end());
  };
  bool begun = false;
  // The newest step waits for all of its packets, or for the next one's.
  const auto play = [&](std::int64_t to, bool complete) {
    while (begun && receiver.step() < to) {
      const std::int64_t next = receiver.step() + 1;
      if (!complete && next == receiver.latest() && !receiver.has(next)) return;
      receiver.advance();
      record();
    }
  };
  for (std::vector<std::byte> bytes = read(); !bytes.empty(); bytes = read()) {
    packets.feed(bytes);
    while (const std::optional<Packet> packet = packets.next()) {
      (void)receiver.receive(*packet);
      if (!begun && receiver.started()) record();
      begun |= receiver.started();  // for good: after a jump some bodies may wait for their states
      play(receiver.latest() - delay, false);
    }
  }
  play(receiver.latest(), true);
  result.trajectory.bodies = receiver.q().bodies;
  result.trajectory.rank = receiver.q().rank;
  for (const std::uint8_t stopped : receiver.stopped())
    result.trajectory.status.push_back(stopped != 0 ? BodyStatus::diverged : BodyStatus::ok);
  result.counts = receiver.counts();
  result.skipped_bytes = packets.skipped_bytes();
  return result;
}

}  // namespace quartic::cli
