#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/memory.hpp"
#include "core/streaming/acceleration_state.hpp"
#include "core/streaming/linear_guess.hpp"
#include "core/streaming/packet.hpp"
#include "core/streaming/stream_size.hpp"
#include "quartic/error.hpp"
#include "quartic/streaming.hpp"

namespace quartic {
namespace {

/// What is there of a body's step.
enum class Presence : std::uint8_t { missing, acceleration, state, stopped };

/// A step's accelerations: what arrived, and after the step what was taken.
struct Slot {
  std::int64_t step = -1;
  std::vector<Presence> presence;    // shape (B)
  std::vector<double> acceleration;  // shape (r, B)
  std::int64_t there = 0;            // bodies that aren't missing
};

/// A step's whole states, and where bodies stop.
struct StatesOfStep {
  std::vector<double> q, velocity;  // shape (r, B)
};

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

void check_model(const ReceiverOptions& options, std::int64_t rank) {
  if (options.stiffness.rows != rank || options.stiffness.cols != rank)
    throw InputError("recovery by the model needs its stiffness at rest, (" + std::to_string(rank) + ", " +
                     std::to_string(rank) + "), in ReceiverOptions::stiffness");
  if (!options.force.empty() && std::ssize(options.force) != rank)
    throw InputError("the force that recovery by the model knows must have " + std::to_string(rank) + " numbers");
  if (!all_finite(options.stiffness.values) || !all_finite(options.force))
    throw InputError("the stiffness and the force of recovery by the model must be finite");
  for (const double damping : {options.rayleigh_mass, options.rayleigh_stiffness})
    if (!(damping >= 0 && std::isfinite(damping)))
      throw InputError("the Rayleigh damping of recovery by the model must be finite and not negative");
}

void check(const ReceiverOptions& options, std::int64_t rank) {
  constexpr std::int64_t most = 1 << 20;
  if (options.window < 2 || options.window > most)
    throw InputError("a receiver's window must be of two steps at least, and of a million at most");
  if (options.recovery > Recovery::late) throw InputError("unknown recovery");
  if (options.recovery == Recovery::model) check_model(options, rank);
}

/// Numbers of a coordinate: of slots an acceleration, of whole states q and a velocity, and those of the present state,
/// of a packet and of corrections.
void require_receiver_memory(std::int64_t rank, std::int64_t bodies, std::int64_t window) {
  const double numbers = 4 * static_cast<double>(window) + 13;
  require_memory(8 * static_cast<double>(rank) * static_cast<double>(bodies) * numbers,
                 "a receiver's " + std::to_string(window) + " steps before and after the present one",
                 "take a smaller ReceiverOptions::window, or several receivers");
}

}  // namespace

class AccelerationReceiver::Impl {
 public:
  Impl(std::int64_t rank, std::int64_t bodies, const ReceiverOptions& options)
      : options_(options),
        rank_(rank),
        bodies_(bodies),
        slots_(static_cast<std::size_t>(2 * options.window + 2)),
        states_(static_cast<std::size_t>(options.window + 1)),
        state_(rank, bodies),
        stopped_(static_cast<std::size_t>(bodies)),
        state_step_(static_cast<std::size_t>(bodies), -1),
        stop_step_(state_step_) {
    const std::size_t count = state_.q.size();
    for (Slot& slot : slots_) {
      slot.presence.resize(stopped_.size());
      slot.acceleration.resize(count);
    }
    for (StatesOfStep& states : states_) states.q.resize(count), states.velocity.resize(count);
    now_.resize(count), after_.resize(count), corrected_.resize(count);
    numbers_.values.reserve(3 * count);
    if (options.recovery == Recovery::model)
      linear_.emplace(options.stiffness, options.rayleigh_mass, options.rayleigh_stiffness, options.force, bodies);
  }

  void reset() {
    step_ = first_step_ = latest_ = -1;
    rule_ = {};
    h_ = 0;
    for (Slot& slot : slots_) slot.step = -1;
    for (std::vector<double>* numbers : {&state_.q, &state_.velocity, &state_.acceleration})
      std::ranges::fill(*numbers, 0.0);
    std::ranges::fill(stopped_, std::uint8_t{0});
    std::ranges::fill(state_step_, -1);
    std::ranges::fill(stop_step_, -1);
    forget_corrections();
  }

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
    const bool rests = any_rests();
    std::span<const double> next = slot.acceleration;
    if (corrections_ > 0 || rests) {
      std::ranges::copy(slot.acceleration, corrected_.begin());
      if (corrections_ > 0) correct();
      if (rests) leave_still(corrected_);
      next = corrected_;
    }
    state_.advance(rule_, h_, next);
    take_states(slot);
  }

  [[nodiscard]] bool has(std::int64_t step) const {
    if (step <= step_) return false;
    const Slot& slot = slots_[index(step)];
    return slot.step == step && all_there(slot);
  }

  [[nodiscard]] std::vector<std::int64_t> missing() const {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = std::max<std::int64_t>({first_step_, step_ - options_.window + 1, 0}); step <= step_;
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
    std::ranges::fill(slot.presence, Presence::missing);
    std::ranges::fill(slot.acceleration, 0.0);
    return slot;
  }
  /// Those of steps from the present one to the window's end.
  StatesOfStep& states_of(std::int64_t step) { return states_[static_cast<std::size_t>(step) % states_.size()]; }
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
    StatesOfStep& states = states_of(slot.step);
    const bool whole = presence == Presence::state, stops = presence == Presence::stopped;
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      Presence& old = slot.presence[static_cast<std::size_t>(body)];
      if (old >= presence) return;
      is_new = true;
      if (old == Presence::missing) ++slot.there;
      old = presence;
      for (std::int64_t i = 0; i < rank_; ++i) {
        slot.acceleration[at(i, body)] = stops ? 0 : number(header, whole ? 2 : 0, i, n);
        if (presence == Presence::acceleration) continue;
        states.q[at(i, body)] = number(header, 0, i, n);
        states.velocity[at(i, body)] = stops ? 0 : number(header, 1, i, n);
      }
    });
    if (!is_new) return PacketFate::duplicate;
    if (stops) return PacketFate::stopped;
    return whole ? PacketFate::state : PacketFate::taken;
  }

  PacketFate take_state(const PacketHeader& header) {
    const auto step = static_cast<std::int64_t>(header.step);
    if (step_ < 0) start(step, header.h);
    // From too far ahead, when much was lost: it goes on from there.
    if (step > step_ + options_.window) jump(step);
    if (step > step_) return store(header, Presence::state);
    if (step < step_) return replay(header);
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
    (void)slot_of(step);
    if (linear_) linear_->start(rule_, h_);
  }
  /// Bodies that this step's packets don't tell of stay where they are until their own ones come.
  void jump(std::int64_t step) {
    first_step_ = step_ = step;
    forget_corrections();
    std::ranges::fill(state_step_, -1);
    (void)slot_of(step);
    leave_still(state_.velocity);
    leave_still(state_.acceleration);
  }

  /// Puts bodies where the slot's whole states say, and those that stop where they stay.
  void take_states(const Slot& slot) {
    const StatesOfStep& states = states_of(slot.step);
    for (std::int64_t body = 0; body < bodies_; ++body) {
      const auto b = static_cast<std::size_t>(body);
      if (slot.presence[b] < Presence::state) continue;
      const bool stops = slot.presence[b] == Presence::stopped;
      if (!stops || slot.step >= stop_step_[b]) {
        state_step_[b] = slot.step;
        if (stops) stop_step_[b] = slot.step;
        if (stops || slot.step > stop_step_[b]) stopped_[b] = stops ? 1 : 0;
      }
      put(body, states.q, states.velocity, slot.acceleration);
    }
  }
  void put(std::int64_t body, std::span<const double> q, std::span<const double> velocity,
           std::span<const double> acceleration) {
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t n = at(i, body);
      state_.q[n] = q[n], state_.velocity[n] = velocity[n], state_.acceleration[n] = acceleration[n];
      now_[n] = after_[n] = 0;
    }
    if (linear_) linear_->set(state_, body, bodies_);
  }

  PacketFate take_stopped(const PacketHeader& header) {
    const auto step = static_cast<std::int64_t>(header.step);
    if (step > step_) return store(header, Presence::stopped);
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      const auto b = static_cast<std::size_t>(body);
      if (step < state_step_[b] || step <= stop_step_[b]) return;
      is_new = true;
      stop_step_[b] = state_step_[b] = step;
      stopped_[b] = 1;
      for (std::int64_t i = 0; i < rank_; ++i) {
        const std::size_t to = at(i, body);
        state_.q[to] = number(header, 0, i, n);
        state_.velocity[to] = state_.acceleration[to] = now_[to] = after_[to] = 0;
      }
    });
    return is_new ? PacketFate::stopped : PacketFate::duplicate;
  }

  /// A body that stopped, or that waits for its whole state.
  [[nodiscard]] bool rests(std::size_t b) const { return stopped_[b] != 0 || state_step_[b] < 0; }
  [[nodiscard]] bool any_rests() const {
    for (std::size_t b = 0; b < stopped_.size(); ++b)
      if (rests(b)) return true;
    return false;
  }
  /// Zero for bodies that rest. @param rates shape (r, B)
  void leave_still(std::vector<double>& rates) const {
    for (std::int64_t body = 0; body < bodies_; ++body)
      if (rests(static_cast<std::size_t>(body)))
        for (std::int64_t i = 0; i < rank_; ++i) rates[at(i, body)] = 0;
  }

  /// Adds what was late to the next accelerations.
  void correct() {
    for (std::size_t n = 0; n < corrected_.size(); ++n) corrected_[n] += now_[n];
    now_.swap(after_);
    std::ranges::fill(after_, 0.0);
    --corrections_;
  }
  void forget_corrections() {
    corrections_ = 0;
    std::ranges::fill(now_, 0.0);
    std::ranges::fill(after_, 0.0);
  }

  /// Takes whole states of a step that is over: bodies go on from there by the accelerations since then.
  PacketFate replay(const PacketHeader& header) {
    const auto step = static_cast<std::int64_t>(header.step);
    if (step < first_step_) return PacketFate::late;
    bool is_new = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      const auto b = static_cast<std::size_t>(body);
      if (step <= state_step_[b] || step <= stop_step_[b]) return;
      is_new = true;
      replay_body(header, body, n);
    });
    return is_new ? PacketFate::state : PacketFate::duplicate;
  }
  void replay_body(const PacketHeader& header, std::int64_t body, std::uint32_t n) {
    const auto b = static_cast<std::size_t>(body);
    Slot& own = slot_of(static_cast<std::int64_t>(header.step));
    if (own.presence[b] == Presence::missing) ++own.there;
    own.presence[b] = Presence::state;
    state_step_[b] = own.step;
    stopped_[b] = 0;
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t to = at(i, body);
      state_.q[to] = number(header, 0, i, n), state_.velocity[to] = number(header, 1, i, n);
      state_.acceleration[to] = own.acceleration[to] = number(header, 2, i, n);
      now_[to] = after_[to] = 0;  // of steps that are taken anew
    }
    if (linear_) linear_->set(state_, body, bodies_);
    for (std::int64_t step = own.step + 1; step <= step_; ++step) {
      Slot& slot = slot_of(step);
      guess_or_observe(slot, body);
      for (std::int64_t i = 0; i < rank_; ++i)
        state_.advance_one(rule_, h_, at(i, body), slot.acceleration[at(i, body)]);
    }
  }

  void guess(Slot& slot) {
    if (slot.there == bodies_ && !linear_) return;
    for (std::int64_t body = 0; body < bodies_; ++body) {
      const auto b = static_cast<std::size_t>(body);
      if (rests(b)) continue;
      if (slot.presence[b] == Presence::missing) ++counts_.guessed;
      guess_or_observe(slot, body);
    }
  }

  /// Fills in a body's acceleration if it is missing. The body's state is that of the step before.
  void guess_or_observe(Slot& slot, std::int64_t body) {
    const bool is_missing = slot.presence[static_cast<std::size_t>(body)] == Presence::missing;
    if (!linear_) {
      if (is_missing) guess_body(slot, body);
      return;
    }
    linear_->advance(body);
    is_missing ? linear_->write(body, bodies_, slot.acceleration) : linear_->observe(body, bodies_, slot.acceleration);
  }

  void guess_body(Slot& slot, std::int64_t body) {
    const auto b = static_cast<std::size_t>(body);
    const Slot& next = slots_[index(slot.step + 1)];
    const bool between = options_.recovery == Recovery::interpolate && next.step == slot.step + 1 &&
                         next.presence[b] != Presence::missing;
    const bool holds = options_.recovery == Recovery::hold || options_.recovery == Recovery::interpolate;
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t n = at(i, body);
      const double before = holds ? state_.acceleration[n] : 0;
      slot.acceleration[n] = between ? 0.5 * (before + next.acceleration[n]) : before;
    }
  }

  /// Accelerations of a step that is over. Those of a body that waits for its whole state are kept for it.
  PacketFate repair(const PacketHeader& header) {
    Slot& slot = slots_[index(static_cast<std::int64_t>(header.step))];
    bool was_missing = false, repaired = false, kept = false;
    for_bodies(header, [&](std::int64_t body, std::uint32_t n) {
      const auto b = static_cast<std::size_t>(body);
      if (slot.step != static_cast<std::int64_t>(header.step) || slot.presence[b] != Presence::missing) return;
      was_missing = true;
      // What came before a whole state is past.
      if (slot.step <= state_step_[b] || stopped_[b] != 0) return;
      if (state_step_[b] < 0) {
        kept = true;
        keep(slot, header, body, n);
      } else if (options_.recovery == Recovery::late) {
        repaired = true;
        make_up(slot, header, body, n);
      }
    });
    if (repaired) corrections_ = 2;
    if (repaired) return PacketFate::repaired;
    if (kept) return PacketFate::taken;
    return was_missing ? PacketFate::late : PacketFate::duplicate;
  }

  void keep(Slot& slot, const PacketHeader& header, std::int64_t body, std::uint32_t n) {
    for (std::int64_t i = 0; i < rank_; ++i) slot.acceleration[at(i, body)] = number(header, 0, i, n);
    slot.presence[static_cast<std::size_t>(body)] = Presence::acceleration;
    ++slot.there;
  }
  void make_up(Slot& slot, const PacketHeader& header, std::int64_t body, std::uint32_t n) {
    const auto steps = static_cast<double>(step_ + 1 - slot.step);
    for (std::int64_t i = 0; i < rank_; ++i) {
      const std::size_t to = at(i, body);
      const double missing = number(header, 0, i, n) - slot.acceleration[to];
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
  std::vector<Slot> slots_;           // of steps around the present one, by their number
  std::vector<StatesOfStep> states_;  // of steps from the present one on, by their number
  AccelerationState state_;
  std::vector<std::uint8_t> stopped_;
  std::vector<std::int64_t> state_step_;  // of each body's last whole state; -1: none since the start or a jump
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
  require_receiver_memory(rank, bodies, options.window);
  impl_ = std::make_unique<Impl>(rank, bodies, options);
}
AccelerationReceiver::AccelerationReceiver(AccelerationReceiver&&) noexcept = default;
AccelerationReceiver& AccelerationReceiver::operator=(AccelerationReceiver&&) noexcept = default;
AccelerationReceiver::~AccelerationReceiver() = default;

PacketFate AccelerationReceiver::receive(std::span<const std::byte> packet) {
  return impl_->receive(packet);
}
void AccelerationReceiver::reset() {
  impl_->reset();
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
