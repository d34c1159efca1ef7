#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/streaming/acceleration_state.hpp"
#include "core/streaming/linear_guess.hpp"
#include "core/streaming/packet.hpp"
#include "core/streaming/stream_size.hpp"
#include "quartic/error.hpp"
#include "quartic/streaming.hpp"

namespace quartic {
namespace {

/// What is there of a body's step.
enum class Presence : std::uint8_t { missing, acceleration, state };

/// A step's accelerations: what arrived, and after the step what was taken.
struct Slot {
  std::int64_t step = -1;
  std::vector<Presence> presence;    // shape (B)
  std::vector<double> acceleration;  // shape (r, B)
  std::vector<double> q, velocity;   // of whole states; empty until there is one
  std::int64_t there = 0;            // bodies that aren't missing
};

void check(const ReceiverOptions& options, std::int64_t rank) {
  constexpr std::int64_t most = 1 << 20;
  if (options.window < 2 || options.window > most)
    throw InputError("a receiver's window must be of two steps at least, and of a million at most");
  if (options.recovery > Recovery::late) throw InputError("unknown recovery");
  if (options.recovery != Recovery::model) return;
  if (options.stiffness.rows != rank || options.stiffness.cols != rank)
    throw InputError("recovery by the model needs its stiffness at rest, (" + std::to_string(rank) + ", " +
                     std::to_string(rank) + "), in ReceiverOptions::stiffness");
  if (!options.force.empty() && std::ssize(options.force) != rank)
    throw InputError("the force that recovery by the model knows must have " + std::to_string(rank) + " numbers");
}

}  // namespace

class AccelerationReceiver::Impl {
 public:
  Impl(std::int64_t rank, std::int64_t bodies, const ReceiverOptions& options)
      : options_(options),
        rank_(rank),
        bodies_(bodies),
        slots_(static_cast<std::size_t>(2 * options.window + 2)),
        state_(rank, bodies),
        stopped_(static_cast<std::size_t>(bodies)),
        state_step_(static_cast<std::size_t>(bodies), -1),
        stop_step_(state_step_) {}

  PacketFate receive(std::span<const std::byte> packet) {
    const PacketFate fate = take(packet);
    ++counts_.packets[static_cast<std::size_t>(fate)];
    return fate;
  }

  void advance() {
    if (step_ < 0) return;
    ++step_;
    Slot& slot = slot_of(step_);
    guess(slot);
    std::span<const double> next = slot.acceleration;
    if (corrections_ > 0) {
      corrected_ = slot.acceleration;
      for (std::size_t n = 0; n < corrected_.size(); ++n) corrected_[n] += now_[n];
      next = corrected_;
      now_.swap(after_);
      std::ranges::fill(after_, 0.0);
      --corrections_;
    }
    state_.advance(rule_, h_, next);
    take_states(slot);
    still();
  }

  [[nodiscard]] bool has(std::int64_t step) const {
    if (step <= step_) return false;
    const Slot& slot = slots_[index(step)];
    return slot.step == step && all_there(slot);
  }

  [[nodiscard]] std::vector<std::int64_t> missing() const {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = std::max<std::int64_t>(first_step_ + 1, step_ - options_.window + 1); step <= step_;
         ++step)
      if (const Slot& slot = slots_[index(step)]; slot.step == step && !all_there(slot)) steps.push_back(step);
    return steps;
  }

  [[nodiscard]] StateView<const double> view(const std::vector<double>& numbers) const {
    return {numbers.data(), rank_, bodies_, bodies_, 1};
  }
  [[nodiscard]] const AccelerationState& state() const { return state_; }
  [[nodiscard]] std::span<const std::uint8_t> stopped() const { return stopped_; }
  [[nodiscard]] const StreamCounts& counts() const { return counts_; }
  [[nodiscard]] bool started() const {
    return std::ranges::all_of(state_step_, [](std::int64_t step) { return step >= 0; });
  }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t latest() const { return latest_; }
  [[nodiscard]] double step_length() const { return h_; }

 private:
  [[nodiscard]] std::size_t index(std::int64_t step) const { return static_cast<std::size_t>(step) % slots_.size(); }
  Slot& slot_of(std::int64_t step) {
    Slot& slot = slots_[index(step)];
    if (slot.step == step) return slot;
    slot.step = step;
    slot.there = 0;
    slot.presence.assign(static_cast<std::size_t>(bodies_), Presence::missing);
    slot.acceleration.resize(static_cast<std::size_t>(rank_ * bodies_));
    return slot;
  }
  [[nodiscard]] bool all_there(const Slot& slot) const {
    for (std::size_t b = 0; b < slot.presence.size(); ++b)
      if (slot.presence[b] == Presence::missing && stopped_[b] == 0 && state_step_[b] <= slot.step) return false;
    return true;
  }
  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t body) const {
    return static_cast<std::size_t>(i * bodies_ + body);
  }

  PacketFate take(std::span<const std::byte> packet) {
    const std::optional<PacketHeader> header = read_header(packet);
    if (!header) return PacketFate::damaged;
    if (!is_ours(*header)) return PacketFate::foreign;
    // Checked before its numbers are read: a packet that nobody waits for costs nothing.
    const auto step = static_cast<std::int64_t>(header->step);
    const bool whole = header->kind == PacketKind::state;
    if (step_ < 0 && !whole) return PacketFate::foreign;
    if (step_ >= 0 && !whole && step > step_ + options_.window) return PacketFate::beyond;
    if (step_ >= 0 && step <= step_ - options_.window) return PacketFate::late;
    if (!read_payload(*header, packet, numbers_)) return PacketFate::damaged;
    if (whole && !fits(numbers_.rule)) return PacketFate::foreign;
    latest_ = std::max(latest_, step);
    switch (header->kind) {
      case PacketKind::state:
        return take_state(*header);
      case PacketKind::stopped:
        return take_stopped(*header);
      default:
        return step > step_ ? store(*header, Presence::acceleration) : repair(*header);
    }
  }

  [[nodiscard]] bool is_ours(const PacketHeader& header) const {
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 62U;
    return header.fingerprint == options_.fingerprint && header.rank == static_cast<std::uint64_t>(rank_) &&
           header.step < most_steps && header.count > 0 && header.first_body < static_cast<std::uint64_t>(bodies_) &&
           header.count <= static_cast<std::uint64_t>(bodies_) - header.first_body && (h_ == 0 || header.h == h_);
  }
  [[nodiscard]] bool fits(const AccelerationRule& rule) const {
    for (const double x : {rule.before, rule.after, rule.gamma})
      if (!(std::abs(x) <= 10)) return false;
    return step_ < 0 || (rule.before == rule_.before && rule.after == rule_.after && rule.gamma == rule_.gamma);
  }

  template <class F>
  static void for_bodies(const PacketHeader& header, F f) {
    for (std::uint32_t n = 0; n < header.count; ++n) f(static_cast<std::int64_t>(header.first_body + n), n);
  }
  /// A number of a packet's block. @param n of the body in it
  [[nodiscard]] double number(const PacketHeader& header, std::size_t block, std::int64_t i, std::uint32_t n) const {
    return numbers_.values[(block * header.rank + static_cast<std::size_t>(i)) * header.count + n];
  }

  /// Keeps a packet for its step.
  PacketFate store(const PacketHeader& header, Presence presence) {
    Slot& slot = slot_of(static_cast<std::int64_t>(header.step));
    const bool whole = presence == Presence::state;
    if (whole && slot.q.empty()) {
      slot.q.resize(slot.acceleration.size());
      slot.velocity.resize(slot.acceleration.size());
    }
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      Presence& old = slot.presence[static_cast<std::size_t>(body)];
      if (old >= presence) return;
      is_new = true;
      if (old == Presence::missing) ++slot.there;
      old = presence;
      for (std::int64_t i = 0; i < rank_; ++i) {
        slot.acceleration[at(i, body)] = number(header, whole ? 2 : 0, i, n);
        if (!whole) continue;
        slot.q[at(i, body)] = number(header, 0, i, n);
        slot.velocity[at(i, body)] = number(header, 1, i, n);
      }
    });
    if (!is_new) return PacketFate::duplicate;
    return whole ? PacketFate::state : PacketFate::taken;
  }

  PacketFate take_state(const PacketHeader& header) {
    const auto step = static_cast<std::int64_t>(header.step);
    if (step_ < 0) start(step, header.h);
    // From too far ahead, when much was lost: it goes on from there.
    if (step > step_ + options_.window) jump(step);
    if (step > step_) return store(header, Presence::state);
    if (step < step_) return repair(header);
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t) {
      is_new |= state_step_[static_cast<std::size_t>(body)] != step;
    });
    if (!is_new) return PacketFate::duplicate;
    (void)store(header, Presence::state);
    take_states(slot_of(step));
    return PacketFate::state;
  }

  void start(std::int64_t step, double h) {
    rule_ = numbers_.rule;
    h_ = h;
    first_step_ = step_ = step;
    if (options_.recovery == Recovery::model)
      linear_.emplace(options_.stiffness, options_.rayleigh_mass, options_.rayleigh_stiffness, options_.force, rule_,
                      h_);
  }
  /// Bodies that this step's packets don't tell of stay where they are until their own ones come.
  void jump(std::int64_t step) {
    first_step_ = step_ = step;
    corrections_ = 0;
    std::ranges::fill(now_, 0.0);
    std::ranges::fill(after_, 0.0);
    (void)slot_of(step);
  }

  /// Puts bodies where the slot's whole states say.
  void take_states(const Slot& slot) {
    for (std::int64_t body = 0; body < bodies_; ++body) {
      const auto b = static_cast<std::size_t>(body);
      if (slot.presence[b] != Presence::state) continue;
      state_step_[b] = slot.step;
      if (stopped_[b] != 0 && slot.step > stop_step_[b]) {
        --stopped_count_;
        stopped_[b] = 0;
      }
      for (std::int64_t i = 0; i < rank_; ++i) {
        const std::size_t n = at(i, body);
        state_.q[n] = slot.q[n], state_.velocity[n] = slot.velocity[n];
        state_.acceleration[n] = slot.acceleration[n];
        if (corrections_ > 0) now_[n] = after_[n] = 0;
      }
    }
  }

  PacketFate take_stopped(const PacketHeader& header) {
    const auto step = static_cast<std::int64_t>(header.step);
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      const auto b = static_cast<std::size_t>(body);
      if (step < state_step_[b] || step <= stop_step_[b]) return;
      is_new = true;
      stop_step_[b] = step;
      if (stopped_[b] == 0) ++stopped_count_;
      stopped_[b] = 1;
      for (std::int64_t i = 0; i < rank_; ++i) state_.q[at(i, body)] = number(header, 0, i, n);
    });
    still();
    return is_new ? PacketFate::stopped : PacketFate::duplicate;
  }

  /// Bodies that stay where they are have no rates.
  void still() {
    if (stopped_count_ == 0) return;
    for (std::int64_t body = 0; body < bodies_; ++body)
      if (stopped_[static_cast<std::size_t>(body)] != 0)
        for (std::int64_t i = 0; i < rank_; ++i) state_.velocity[at(i, body)] = state_.acceleration[at(i, body)] = 0;
  }

  void guess(Slot& slot) {
    if (slot.there == bodies_) return;
    for (std::int64_t body = 0; body < bodies_; ++body) {
      const auto b = static_cast<std::size_t>(body);
      if (slot.presence[b] != Presence::missing) continue;
      const bool moves = stopped_[b] == 0 && state_step_[b] >= 0;
      if (moves) ++counts_.guessed;
      guess_body(slot, body, moves ? options_.recovery : Recovery::zero);
    }
  }

  void guess_body(Slot& slot, std::int64_t body, Recovery recovery) {
    const auto b = static_cast<std::size_t>(body);
    const Slot& last = slots_[index(slot.step - 1)];
    const Slot& next = slots_[index(slot.step + 1)];
    if (recovery == Recovery::model) return linear_->at(state_, body, bodies_, slot.acceleration);
    const bool between =
        recovery == Recovery::interpolate && next.step == slot.step + 1 && next.presence[b] != Presence::missing;
    const bool holds = recovery == Recovery::hold || recovery == Recovery::interpolate;
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t n = at(i, body);
      const double before = holds && last.step == slot.step - 1 ? last.acceleration[n] : 0;
      slot.acceleration[n] = between ? 0.5 * (before + next.acceleration[n]) : before;
    }
  }

  /// Accelerations of a step that is over.
  PacketFate repair(const PacketHeader& header) {
    Slot& slot = slots_[index(static_cast<std::int64_t>(header.step))];
    const std::size_t block = header.kind == PacketKind::state ? 2 : 0;
    bool was_missing = false, repaired = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      const auto b = static_cast<std::size_t>(body);
      if (slot.step != static_cast<std::int64_t>(header.step) || slot.presence[b] != Presence::missing) return;
      was_missing = true;
      // What came before a whole state is past.
      if (options_.recovery != Recovery::late || slot.step <= state_step_[b] || stopped_[b] != 0) return;
      repaired = true;
      make_up(slot, header, block, body, n);
    });
    if (repaired) corrections_ = 2;
    if (repaired) return PacketFate::repaired;
    return was_missing ? PacketFate::late : PacketFate::duplicate;
  }

  void make_up(Slot& slot, const PacketHeader& header, std::size_t block, std::int64_t body, std::uint32_t n) {
    now_.resize(slot.acceleration.size());
    after_.resize(slot.acceleration.size());
    const auto steps = static_cast<double>(step_ + 1 - slot.step);
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t to = at(i, body);
      const double missing = number(header, block, i, n) - slot.acceleration[to];
      slot.acceleration[to] += missing;
      now_[to] += (steps + 1) * missing;
      after_[to] -= steps * missing;
    }
    slot.presence[static_cast<std::size_t>(body)] = Presence::acceleration;
    ++slot.there;
  }

  ReceiverOptions options_;
  std::int64_t rank_, bodies_, step_ = -1, first_step_ = -1, latest_ = -1;
  AccelerationRule rule_;
  double h_ = 0;
  std::vector<Slot> slots_;  // of steps around the present one, by their number
  AccelerationState state_;
  std::vector<std::uint8_t> stopped_;
  std::int64_t stopped_count_ = 0;
  std::vector<std::int64_t> state_step_;  // of each body's last whole state; -1: none yet
  std::vector<std::int64_t> stop_step_;   // of the last word that it stays; -1: none yet
  // What late accelerations add to the next step and to the one after, and how many of these are to come.
  std::vector<double> now_, after_, corrected_;
  int corrections_ = 0;
  std::optional<LinearGuess> linear_;
  PacketNumbers numbers_;
  StreamCounts counts_;
};

AccelerationReceiver::AccelerationReceiver(std::int64_t rank, std::int64_t bodies, const ReceiverOptions& options) {
  require_size(rank, bodies);
  check(options, rank);
  impl_ = std::make_unique<Impl>(rank, bodies, options);
}
AccelerationReceiver::AccelerationReceiver(AccelerationReceiver&&) noexcept = default;
AccelerationReceiver& AccelerationReceiver::operator=(AccelerationReceiver&&) noexcept = default;
AccelerationReceiver::~AccelerationReceiver() = default;

PacketFate AccelerationReceiver::receive(std::span<const std::byte> packet) {
  return impl_->receive(packet);
}
bool AccelerationReceiver::started() const {
  return impl_->started();
}
std::int64_t AccelerationReceiver::step() const {
  return impl_->step();
}
std::int64_t AccelerationReceiver::latest() const {
  return impl_->latest();
}
double AccelerationReceiver::step_length() const {
  return impl_->step_length();
}
void AccelerationReceiver::advance() {
  impl_->advance();
}
bool AccelerationReceiver::has(std::int64_t step) const {
  return impl_->has(step);
}
std::vector<std::int64_t> AccelerationReceiver::missing() const {
  return impl_->missing();
}
StateView<const double> AccelerationReceiver::q() const {
  return impl_->view(impl_->state().q);
}
StateView<const double> AccelerationReceiver::velocity() const {
  return impl_->view(impl_->state().velocity);
}
StateView<const double> AccelerationReceiver::acceleration() const {
  return impl_->view(impl_->state().acceleration);
}
std::span<const std::uint8_t> AccelerationReceiver::stopped() const {
  return impl_->stopped();
}
const StreamCounts& AccelerationReceiver::counts() const {
  return impl_->counts();
}

}  // namespace quartic
