#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/base/number_text.hpp"
#include "core/batch/batch_impl.hpp"
#include "core/streaming/acceleration_state.hpp"
#include "core/streaming/packet.hpp"
#include "core/streaming/stream_size.hpp"
#include "quartic/error.hpp"
#include "quartic/streaming.hpp"

namespace quartic {
namespace {

/// The largest factor by which a step takes errors over to the next one. They are e of q, w = h times that of the
/// velocity and c = h^2 times what was added to the acceleration; the next step adds c' = velocity_gain w +
/// position_gain e.
double loop_growth(const SenderOptions& options) {
  const AccelerationRule& rule = options.rule;
  const Eigen::RowVector3d next(options.position_gain, options.velocity_gain, 0);
  Eigen::Matrix3d step;
  step.row(0) = Eigen::RowVector3d(1, 1, -rule.before) - rule.after * next;
  step.row(1) = Eigen::RowVector3d(0, 1, rule.gamma - 1) - rule.gamma * next;
  step.row(2) = next;
  return step.eigenvalues().cwiseAbs().maxCoeff();
}

void check_rule(const AccelerationRule& rule) {
  for (const double x : {rule.before, rule.after, rule.gamma})
    if (!std::isfinite(x)) throw InputError("a rule of accelerations must have finite numbers");
  if (rule.of_differences && (rule.before != 0 || rule.after != 1 || rule.gamma != 1))
    throw InputError("second differences go by the rule (0, 1, 1) alone: take difference_rule");
}

void check(const SenderOptions& options, std::int64_t rank, std::int64_t bodies) {
  require_size(rank, bodies);
  if (!(options.step > 0 && std::isfinite(options.step)))
    throw InputError("a sender's step must be finite and > 0, not " + number_text(options.step, 6) + " s");
  if (options.type > AccelerationType::fp64) throw InputError("unknown type of accelerations");
  if (options.keyframe_interval < 0 || options.history < 0)
    throw InputError("a sender's keyframe interval and history can't be negative");
  check_rule(options.rule);
  if (options.rule.of_differences && !options.closed_loop)
    throw InputError(
        "the accelerations of exact steps don't give their motion back: without closed_loop a receiver would be off by "
        "as much as the motion itself. Set closed_loop, or step by an integrator that isn't exact");
  if (!options.closed_loop || options.rule.of_differences) return;
  const double growth = loop_growth(options);
  if (!(growth < 1))
    throw InputError("gains of " + number_text(options.position_gain, 3) + " for positions and " +
                     number_text(options.velocity_gain, 3) +
                     " for velocities make the closed loop grow: its errors are multiplied by " +
                     number_text(growth, 4) + " in each step; 0.1 and 0.5 are stable");
}

bool same_rule(const AccelerationRule& a, const AccelerationRule& b) {
  return a.before == b.before && a.after == b.after && a.gamma == b.gamma && a.of_differences == b.of_differences;
}

/// Bodies first .. first + count.
struct BodyRange {
  std::int64_t first, count;
};

}  // namespace

class AccelerationSender::Impl {
 public:
  Impl(std::int64_t rank, std::int64_t bodies, const SenderOptions& options)
      : options_(options), rank_(rank), bodies_(bodies), now_(rank, bodies), received_(rank, bodies) {
    bodies_of_state_ = most_bodies(PacketKind::state);
    bodies_of_step_ = most_bodies(PacketKind::accelerations);
    stopped_.resize(static_cast<std::size_t>(bodies));
  }

  [[nodiscard]] const SenderOptions& options() const { return options_; }
  [[nodiscard]] std::int64_t steps() const { return step_; }
  [[nodiscard]] std::int64_t rank() const { return rank_; }
  [[nodiscard]] std::int64_t bodies() const { return bodies_; }

  template <class T>
  void take(StateView<const T> q, StateView<const T> velocity, StateView<const T> acceleration,
            std::span<const BodyStatus> status) {
    for (const auto& view : {q, velocity, acceleration})
      if (view.rank != rank_ || view.bodies != bodies_)
        throw InputError("the sender is of " + std::to_string(bodies_) + " bodies with " + std::to_string(rank_) +
                         " coordinates, but this state is of " + std::to_string(view.bodies) + " with " +
                         std::to_string(view.rank));
    if (!status.empty() && std::ssize(status) != bodies_)
      throw InputError("a sender needs the status of each of its " + std::to_string(bodies_) + " bodies, or none");
    std::vector<std::uint8_t> stopped(stopped_.size());
    for (std::size_t b = 0; b < status.size(); ++b) stopped[b] = status[b] == BodyStatus::diverged ? 1 : 0;
    copy(q, now_.q, stopped, false);
    copy(velocity, now_.velocity, stopped, true);
    copy(acceleration, now_.acceleration, stopped, true);
    changed_ = stopped != stopped_;
    resumed_ = false;
    for (std::size_t b = 0; b < stopped.size(); ++b) resumed_ |= stopped[b] < stopped_[b];
    stopped_ = std::move(stopped);
  }

  /// Whether a time is that of the next step. @throws InputError if not
  void follow(double time) const {
    const double h = options_.step;
    constexpr double tolerance = 1e-6, round_off = 1e-15;  // of the step; of times that are sums of many
    if (!time_ || std::abs(time - *time_ - h) <= tolerance * h + round_off * (std::abs(time) + std::abs(*time_)))
      return;
    throw InputError("the batch has moved by " + number_text(time - *time_, 9) +
                     " s since it was sent, but the sender's " + "step is " + number_text(h, 9) +
                     " s; send it after each step of SenderOptions::step");
  }
  void note_time(double time) { time_ = time; }

  const std::vector<Packet>& send() {
    packets_.clear();
    // Bodies that move again begin with a whole state.
    const bool whole =
        step_ == 0 || resumed_ || (options_.keyframe_interval > 0 && step_ % options_.keyframe_interval == 0);
    whole ? send_state() : send_accelerations();
    if (changed_ || whole) send_stopped();
    keep();
    ++step_;
    return packets_;
  }

  std::vector<Packet> send_again(std::int64_t step) {
    std::vector<Packet> result;
    const std::int64_t age = step_ - 1 - step;
    if (step < 0 || age < 0 || age >= std::ssize(history_)) return result;
    for (const Packet& packet : history_[static_cast<std::size_t>(age)]) {
      PacketKind kind = read_header(packet)->kind;
      if (kind == PacketKind::accelerations) kind = PacketKind::repair;
      result.push_back(renumbered(packet, kind, sequence_++));
    }
    return result;
  }

 private:
  [[nodiscard]] std::int64_t most_bodies(PacketKind kind) const {
    PacketHeader header{.kind = kind, .type = options_.type, .count = 1, .rank = static_cast<std::uint32_t>(rank_)};
    const std::optional<std::size_t> one = payload_bytes(header);
    header.count = 2;
    const std::optional<std::size_t> two = payload_bytes(header);
    const auto most =
        static_cast<std::size_t>(std::clamp<std::int64_t>(options_.most_bytes, 0, std::int64_t{most_packet_bytes}));
    if (!one || packet_header_bytes + *one > most)
      throw InputError("packets of " + std::to_string(options_.most_bytes) + " bytes are too small for one body of " +
                       std::to_string(rank_) + " coordinates; raise SenderOptions::most_bytes");
    const std::size_t of_body = two ? *two - *one : most;
    return std::min(bodies_, 1 + static_cast<std::int64_t>((most - packet_header_bytes - *one) / of_body));
  }

  template <class T>
  void copy(const StateView<const T>& from, std::vector<double>& to, const std::vector<std::uint8_t>& stopped,
            bool rests) const {
    std::size_t n = 0;
    for (std::int64_t i = 0; i < rank_; ++i)
      for (std::int64_t b = 0; b < bodies_; ++b, ++n) {
        const bool stays = stopped[static_cast<std::size_t>(b)] != 0;
        to[n] = stays && rests ? 0 : static_cast<double>(from(i, b));
        if (std::isfinite(to[n])) continue;
        if (!stays) throw InputError("body " + std::to_string(b) + " has a number that isn't finite");
        to[n] = 0;
      }
  }

  /// The rows of some bodies, one block behind the other.
  static void append_rows(const std::vector<double>& from, std::int64_t rank, std::int64_t bodies,
                          const BodyRange& range, std::vector<double>& to) {
    for (std::int64_t i = 0; i < rank; ++i) {
      const auto first = from.begin() + i * bodies + range.first;
      to.insert(to.end(), first, first + range.count);
    }
  }

  /// Writes a packet and @return what a receiver reads of it
  const PacketNumbers& write(PacketKind kind, const BodyRange& range) {
    const PacketHeader header{.kind = kind,
                              .type = options_.type,
                              .fingerprint = options_.fingerprint,
                              .step = static_cast<std::uint64_t>(step_),
                              .h = options_.step,
                              .first_body = static_cast<std::uint64_t>(range.first),
                              .count = static_cast<std::uint32_t>(range.count),
                              .rank = static_cast<std::uint32_t>(rank_),
                              .sequence = sequence_++};
    packets_.push_back(write_packet(header, options_.rule, numbers_));
    if (!read_payload(header, packets_.back(), read_))
      throw NumericalError("step " + std::to_string(step_) +
                           ": what leads the receiver back overflowed; take a larger step or smaller gains");
    return read_;
  }

  void store_rows(std::span<const double> numbers, const BodyRange& range, std::vector<double>& to) const {
    for (std::int64_t i = 0; i < rank_; ++i)
      std::copy_n(numbers.begin() + i * range.count, range.count, to.begin() + i * bodies_ + range.first);
  }

  template <class F>
  void for_ranges(std::int64_t most, F f) const {
    for (std::int64_t first = 0; first < bodies_; first += most) f(BodyRange{first, std::min(most, bodies_ - first)});
  }

  void send_state() {
    for_ranges(bodies_of_state_, [&](const BodyRange& range) {
      numbers_.clear();
      for (const auto* part : {&now_.q, &now_.velocity, &now_.acceleration})
        append_rows(*part, rank_, bodies_, range, numbers_);
      const std::span<const double> read = write(PacketKind::state, range).values;
      const std::size_t block = read.size() / 3;
      store_rows(read.first(block), range, received_.q);
      store_rows(read.subspan(block, block), range, received_.velocity);
      store_rows(read.last(block), range, received_.acceleration);
    });
  }

  /// What is sent for an acceleration, so that the receiver comes back to where it should be.
  void lead_back(std::vector<double>& a) const {
    const double h = options_.step;
    if (options_.rule.of_differences) {
      for (std::size_t n = 0; n < a.size(); ++n)
        a[n] = (now_.q[n] - received_.q[n] - h * received_.velocity[n]) / (h * h);
      return;
    }
    for (std::size_t n = 0; n < a.size(); ++n)
      a[n] = now_.acceleration[n] + options_.velocity_gain * (last_.velocity[n] - received_.velocity[n]) / h +
             options_.position_gain * (last_.q[n] - received_.q[n]) / (h * h);
  }

  void send_accelerations() {
    aims_ = now_.acceleration;
    if (options_.closed_loop) lead_back(aims_);
    for (std::int64_t b = 0; b < bodies_; ++b)
      if (stopped_[static_cast<std::size_t>(b)] != 0)
        for (std::int64_t i = 0; i < rank_; ++i) aims_[static_cast<std::size_t>(i * bodies_ + b)] = 0;
    std::vector<double>& next = next_;
    next.resize(aims_.size());
    for_ranges(bodies_of_step_, [&](const BodyRange& range) {
      numbers_.clear();
      append_rows(aims_, rank_, bodies_, range, numbers_);
      store_rows(write(PacketKind::accelerations, range).values, range, next);
    });
    if (options_.closed_loop) received_.advance(options_.rule, options_.step, next);
  }

  /// Each run of bodies that stay where they are.
  void send_stopped() {
    for (std::int64_t b = 0; b < bodies_;) {
      std::int64_t end = b;
      while (end < bodies_ && end - b < bodies_of_state_ && stopped_[static_cast<std::size_t>(end)] != 0) ++end;
      if (end == b) {
        ++b;
        continue;
      }
      const BodyRange range{b, end - b};
      numbers_.clear();
      append_rows(now_.q, rank_, bodies_, range, numbers_);
      store_rows(write(PacketKind::stopped, range).values, range, received_.q);
      for (std::int64_t i = 0; i < rank_; ++i)
        for (auto* rate : {&received_.velocity, &received_.acceleration})
          std::fill_n(rate->begin() + i * bodies_ + range.first, range.count, 0.0);
      b = end;
    }
  }

  void keep() {
    if (options_.closed_loop) last_ = now_;
    if (options_.history == 0) return;
    if (std::ssize(history_) == options_.history) history_.pop_back();
    history_.push_front(packets_);
  }

  SenderOptions options_;
  std::int64_t rank_, bodies_, bodies_of_state_ = 1, bodies_of_step_ = 1, step_ = 0;
  std::uint32_t sequence_ = 0;
  std::optional<double> time_;                        // of the batch when it was sent
  AccelerationState now_, received_;                  // the bodies', and that of a receiver that has lost nothing
  AccelerationState last_ = AccelerationState(0, 0);  // the bodies' a step before
  std::vector<std::uint8_t> stopped_;
  bool changed_ = false, resumed_ = false;
  std::vector<double> numbers_, aims_, next_;
  PacketNumbers read_;
  std::vector<Packet> packets_;
  std::deque<std::vector<Packet>> history_;  // the newest first
};

AccelerationSender::AccelerationSender(std::int64_t rank, std::int64_t bodies, const SenderOptions& options) {
  check(options, rank, bodies);
  impl_ = std::make_unique<Impl>(rank, bodies, options);
}
AccelerationSender::AccelerationSender(AccelerationSender&&) noexcept = default;
AccelerationSender& AccelerationSender::operator=(AccelerationSender&&) noexcept = default;
AccelerationSender::~AccelerationSender() = default;

const SenderOptions& AccelerationSender::options() const {
  return impl_->options();
}
std::int64_t AccelerationSender::steps() const {
  return impl_->steps();
}

template <class T>
std::span<const Packet> AccelerationSender::send(StateView<const T> q, StateView<const T> velocity,
                                                 StateView<const T> acceleration, std::span<const BodyStatus> status) {
  impl_->take(q, velocity, acceleration, status);
  return impl_->send();
}

template <class T>
std::span<const Packet> AccelerationSender::send(const Batch<T>& batch) {
  for (int group = 0; group < batch.group_count(); ++group)
    if (batch.has_frame(group))
      throw InputError(
          "the bodies have poses, which accelerations of coordinates don't tell of; send bodies without "
          "a frame");
  if (options().rule.of_differences)
    throw InputError("a batch's own accelerations give its motion back: take acceleration_rule(batch.options())");
  if (!same_rule(options().rule, acceleration_rule(batch.options())))
    throw InputError(
        "the sender's rule isn't that of the batch's integrator, and a receiver would have another motion: take "
        "acceleration_rule(batch.options())");
  impl_->follow(batch.time());
  const double h = batch.impl().last_step();
  if (h > 0 && std::abs(h - options().step) > 1e-6 * options().step)
    throw InputError("the batch's last step was of " + number_text(h, 9) + " s, but the sender's are of " +
                     number_text(options().step, 9) + " s: a receiver would have another motion; take no substeps");
  const std::span<const Packet> packets = send(batch.q(), batch.velocity(), batch.acceleration(), batch.status());
  impl_->note_time(batch.time());
  return packets;
}

template <class T>
std::span<const Packet> AccelerationSender::send(const ModalBatch<T>& batch) {
  if (!options().rule.of_differences)
    throw InputError(
        "modal bodies are stepped exactly, and no rule gives their motion back from accelerations: take "
        "difference_rule, with closed_loop");
  const StateView<const T> velocity = batch.velocity();
  const std::vector<T> rest(static_cast<std::size_t>(velocity.rank * velocity.bodies));
  impl_->follow(batch.time());
  const StateView<const T> none{rest.data(), velocity.rank, velocity.bodies, velocity.bodies, 1};
  const std::span<const Packet> packets = send(batch.q(), velocity, none, batch.status());
  impl_->note_time(batch.time());
  return packets;
}

std::vector<Packet> AccelerationSender::send_again(std::int64_t step) {
  return impl_->send_again(step);
}

template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(StateView<const float>, StateView<const float>,
                                                                         StateView<const float>,
                                                                         std::span<const BodyStatus>);
template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(const Batch<float>&);
template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(const ModalBatch<float>&);
template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(StateView<const double>,
                                                                         StateView<const double>,
                                                                         StateView<const double>,
                                                                         std::span<const BodyStatus>);
template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(const Batch<double>&);
template QUARTIC_EXPORT std::span<const Packet> AccelerationSender::send(const ModalBatch<double>&);

}  // namespace quartic
