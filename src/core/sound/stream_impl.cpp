#include "core/sound/stream_impl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace quartic {
namespace {

/// A contact that is shorter [samples] is an instant: what is heard of both is equal in double.
constexpr double instant = 1e-12;

std::vector<double> in_samples(const std::vector<double>& times, double rate) {
  std::vector<double> result;
  for (const double time : times) result.push_back(time * rate);
  return result;
}

}  // namespace

template <class T>
StreamImpl<T>::StreamImpl(const Oscillators& oscillators, ModeRows rows, std::vector<double> weights,
                          const SoundWeights& heard, const SoundOptions& options)
    : counts_(oscillators.counts),
      rows_(std::move(rows)),
      numbers_(oscillators.numbers),
      model_modes_(std::ssize(heard.values) / (heard.moments() * heard.channels)),
      rate_(options.rate),
      signal_(heard.signal),
      bank_(oscillators.rates, heard.channels, heard.signal, options.rate),
      weights_(in_samples(heard.times, options.rate), std::move(weights),
               static_cast<std::size_t>(heard.channels) * oscillators.numbers.size()),
      new_weights_(static_cast<std::size_t>(heard.channels) * oscillators.numbers.size()),
      queue_(static_cast<std::size_t>(options.max_strikes)),
      trial_(oscillators.numbers.size()) {
  bank_.expect_weights(weights_.values());
  responses_ = bank_.largest_responses();
  weights_.go_to(0);
  hear_weights();
  for (int n = 0; n < options.max_strikes; ++n)
    slots_.push_back({.strike = {},
                      .force = std::vector<double>(static_cast<std::size_t>(bank_.modes())),
                      .drive = Drive<T>(2, bank_.modes(), bank_.channels())});
  acting_.reserve(slots_.size());
}

template <class T>
double StreamImpl<T>::largest_factor(std::int64_t vertex, VertexOf vertex_of, const std::array<double, 3>& force) {
  constexpr double room = 1e-6;  // for forces that add up, and for what modes make of them, of the largest number
  rows_.product(vertex, vertex_of, force, trial_);
  double sum = 0;
  for (std::size_t i = 0; i < trial_.size(); ++i) sum += std::abs(trial_[i]) * responses_[i];
  return room * double{std::numeric_limits<T>::max()} / sum;
}

template <class T>
bool StreamImpl<T>::can_hold(const Strike& strike) {
  const double shortest = std::max(strike.length, instant / rate_);
  const double peak = strike.length > 0 ? std::max(1.0, std::numbers::pi / (2 * shortest)) : 1;
  std::array<double, 3> force = strike.impulse;
  for (double& f : force) f = f * strike.gain * peak;
  return largest_factor(strike.vertex, strike.vertex_of, force) >= 1;  // not for NaN
}

template <class T>
bool StreamImpl<T>::can_hold(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of) {
  return largest_factor(vertex, vertex_of, direction) >= 1;
}

template <class T>
bool StreamImpl<T>::can_hold(std::span<const T> inputs) const {
  const std::size_t frames = inputs.size() / std::max<std::size_t>(inputs_.size(), 1);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    for (const T x : inputs.subspan(i * frames, frames))
      if (!(std::abs(x) <= inputs_[i].largest)) return false;
  return true;
}

template <class T>
bool StreamImpl<T>::push(const Strike& strike) {
  if (strikes_.fetch_add(1, std::memory_order_relaxed) < std::ssize(slots_) && queue_.push(strike)) return true;
  strikes_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

template <class T>
int StreamImpl<T>::add_input(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of) {
  const double largest = largest_factor(vertex, vertex_of, direction);
  inputs_.push_back({.force = std::vector<double>(static_cast<std::size_t>(bank_.modes())),
                     .drive = Drive<T>(1, bank_.modes(), bank_.channels()),
                     .largest = static_cast<T>(std::min(largest, double{std::numeric_limits<T>::max()}))});
  acting_.reserve(slots_.size() + inputs_.size());
  Input& input = inputs_.back();
  rows_.product(vertex, vertex_of, direction, input.force);
  bank_.prepare_linear(input.force, input.drive);
  return static_cast<int>(inputs_.size()) - 1;
}

template <class T>
void StreamImpl<T>::set_weights(const SoundWeights& weights, double time) {
  NewWeights& draft = new_weights_.draft();
  std::size_t entry = 0;
  for (std::int64_t c = 0; c < bank_.channels(); ++c)
    for (const std::int64_t mode : numbers_)
      draft.values[entry++] = weights.values[static_cast<std::size_t>(c * model_modes_ + mode)];
  draft.time = time;
  new_weights_.publish();
}

template <class T>
void StreamImpl<T>::take_weights() {
  const NewWeights* taken = new_weights_.take();
  if (taken == nullptr) return;
  weights_.turn_to(taken->values, position(), taken->time * rate_);
  hear_weights();
}

template <class T>
void StreamImpl<T>::hear_weights() {
  bank_.set_weights(weights_.now(), weights_.after());
  for (Slot& slot : slots_)
    if (slot.stage == Stage::acting) bank_.hear(slot.force, slot.drive);
  for (Input& input : inputs_) bank_.hear(input.force, input.drive);
}

template <class T>
void StreamImpl<T>::take_strikes() {
  Strike strike;
  while (queue_.pop(strike))
    place(*std::ranges::find(slots_, Stage::empty, &Slot::stage), strike);  // no more strikes than slots
}

template <class T>
void StreamImpl<T>::place(Slot& slot, const Strike& strike) {
  const auto now = static_cast<double>(position());
  slot.stage = Stage::waiting;
  slot.strike = strike;
  slot.begin = strike.time ? std::max(*strike.time * rate_, now) : now;
  slot.end = slot.begin + strike.length * rate_;
  if (slot.end - slot.begin < instant) slot.end = slot.begin;
  slot.first = static_cast<std::int64_t>(std::ceil(slot.begin));
  slot.next = slot.first;
  // A half sine between two samples is an instant, but for its own shape.
  if (static_cast<double>(slot.first) > slot.end)
    slot.next = slot.first = static_cast<std::int64_t>(std::ceil(slot.end));
}

template <class T>
void StreamImpl<T>::push_half_sine(const Slot& slot, double from, double to, double sample) {
  const double length = (slot.end - slot.begin) / rate_, w = std::numbers::pi / length;
  bank_.push(slot.force, w * (from - slot.begin) / rate_, w, (to - from) / rate_, (sample - to) / rate_);
}

template <class T>
void StreamImpl<T>::begin(Slot& slot) {
  std::array<double, 3> impulse = slot.strike.impulse;
  // By its length as it acts, between rounded times, so that the integral is J.
  const double length = (slot.end - slot.begin) / rate_, scale = length > 0 ? std::numbers::pi / (2 * length) : 1;
  for (double& j : impulse) j = j * slot.strike.gain * scale;
  rows_.product(slot.strike.vertex, slot.strike.vertex_of, impulse, slot.force);
}

template <class T>
void StreamImpl<T>::finish(Slot& slot, std::int64_t sample) {
  const double last = std::floor(slot.end);
  if (last < slot.end) push_half_sine(slot, last, slot.end, static_cast<double>(sample));
  slot.stage = Stage::empty;
  strikes_.fetch_sub(1, std::memory_order_relaxed);
}

template <class T>
void StreamImpl<T>::act(Slot& slot, std::int64_t sample) {
  if (slot.stage == Stage::acting) return finish(slot, sample);
  begin(slot);
  const auto now = static_cast<double>(sample);
  const bool within_a_step = now >= slot.end;
  if (slot.end == slot.begin)
    bank_.strike(slot.force, (now - slot.begin) / rate_);
  else
    push_half_sine(slot, slot.begin, std::min(now, slot.end), now);
  if (within_a_step) {
    slot.stage = Stage::empty;
    strikes_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  bank_.prepare_sine(slot.force, std::numbers::pi / ((slot.end - slot.begin) / rate_), slot.drive);
  slot.stage = Stage::acting;
  slot.next = static_cast<std::int64_t>(std::floor(slot.end)) + 1;
}

template <class T>
std::int64_t StreamImpl<T>::frames_until_event(std::int64_t now, std::int64_t most) const {
  std::int64_t frames = std::min(most, weights_.end() - now);
  for (const Slot& slot : slots_)
    if (slot.stage != Stage::empty) frames = std::min(frames, slot.next - now);
  return std::min(frames, bank_.most_frames());
}

template <class T>
void StreamImpl<T>::drive_slots(std::int64_t first, std::int64_t frames) {
  for (Slot& slot : slots_) {
    if (slot.stage != Stage::acting) continue;
    const double w = std::numbers::pi / (slot.end - slot.begin);  // per sample
    Drive<T>& drive = slot.drive;
    for (std::int64_t n = 0; n < frames; ++n) {
      const auto at = static_cast<std::size_t>(n);
      const double angle = w * (static_cast<double>(first + n) - slot.begin);
      const bool is_first = first + n == slot.first;  // its part of a step is there already
      drive.u[0][at] = is_first ? T{0} : static_cast<T>(std::sin(angle - w));
      drive.u[1][at] = is_first ? T{0} : static_cast<T>(std::cos(angle - w));
      drive.force[at] = static_cast<T>(std::sin(angle));
    }
    acting_.push_back(&drive);
  }
}

template <class T>
void StreamImpl<T>::drive_inputs(std::span<const T> inputs, std::int64_t total, std::int64_t done,
                                 std::int64_t frames) {
  const T* samples = inputs.data() + done;
  for (Input& input : inputs_) {
    std::copy_n(samples, frames, input.drive.u[0].begin());
    std::copy_n(samples, frames, input.drive.force.begin());
    acting_.push_back(&input.drive);
    samples += total;
  }
}

template <class T>
void StreamImpl<T>::put_out(std::int64_t first, std::int64_t frames, T* to, bool adds) const {
  const std::int64_t channels = bank_.channels();
  for (std::int64_t n = 0; n < frames; ++n) {
    const T after = bank_.changes() ? static_cast<T>(weights_.share(first + n)) : T{0};
    for (std::int64_t c = 0; c < channels; ++c, ++to) {
      T sample = bank_.sample(n, c);
      if (bank_.changes()) sample = (1 - after) * sample + after * bank_.sample(n, channels + c);
      *to = sample + (adds ? *to : T{0});
    }
  }
}

template <class T>
void StreamImpl<T>::run(std::span<T> out, std::span<const T> inputs, bool adds) {
  const std::int64_t channels = bank_.channels(), total = std::ssize(out) / channels;
  take_strikes();
  take_weights();
  std::int64_t now = position();
  for (std::int64_t done = 0; done < total;) {
    if (now >= weights_.end()) {
      weights_.go_to(now);
      hear_weights();
    }
    for (Slot& slot : slots_)
      if (slot.stage != Stage::empty && slot.next == now) act(slot, now);
    const std::int64_t frames = frames_until_event(now, total - done);
    acting_.clear();
    drive_slots(now, frames);
    drive_inputs(inputs, total, done, frames);
    bank_.ring(frames, acting_);
    put_out(now, frames, out.data() + done * channels, adds);
    done += frames, now += frames;
  }
  bank_.quieten();
  position_.store(now, std::memory_order_relaxed);
}

template class StreamImpl<float>;
template class StreamImpl<double>;

}  // namespace quartic
