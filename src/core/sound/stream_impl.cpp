#include "core/sound/stream_impl.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace quartic {

template <class T>
StreamImpl<T>::StreamImpl(const Oscillators& oscillators, ModeRows rows, std::vector<double> weights,
                          const SoundWeights& heard, const SoundOptions& options)
    : counts_(oscillators.counts),
      rows_(std::move(rows)),
      rate_(options.rate),
      bank_(oscillators.rates, std::move(weights), heard.channels, heard.signal, options.rate),
      queue_(static_cast<std::size_t>(options.max_strikes)) {
  for (int n = 0; n < options.max_strikes; ++n)
    slots_.push_back({.strike = {},
                      .force = std::vector<double>(static_cast<std::size_t>(bank_.modes())),
                      .drive = Drive<T>(bank_.modes(), bank_.channels())});
}

template <class T>
bool StreamImpl<T>::push(const Strike& strike) {
  if (strikes_.fetch_add(1, std::memory_order_relaxed) < std::ssize(slots_) && queue_.push(strike)) return true;
  strikes_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

template <class T>
int StreamImpl<T>::add_input(std::int64_t vertex, const std::array<double, 3>& direction) {
  std::vector<double> force(static_cast<std::size_t>(bank_.modes()));
  rows_.product(vertex, direction, force);
  inputs_.push_back({Drive<T>(bank_.modes(), bank_.channels())});
  bank_.prepare_linear(force, inputs_.back().drive);
  return static_cast<int>(inputs_.size()) - 1;
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
  const double length = slot.strike.length, scale = length > 0 ? std::numbers::pi / (2 * length) : 1;
  for (double& j : impulse) j *= slot.strike.gain * scale;
  rows_.product(slot.strike.vertex, impulse, slot.force);
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
  std::int64_t frames = most;
  bool driven = !inputs_.empty();
  for (const Slot& slot : slots_) {
    if (slot.stage == Stage::empty) continue;
    frames = std::min(frames, slot.next - now);
    driven |= slot.stage == Stage::acting;
  }
  return std::min(frames, driven ? piece_frames : bank_.most_frames());
}

template <class T>
void StreamImpl<T>::drive_slots(std::int64_t first, std::int64_t frames) {
  double u[2 * piece_frames], force[piece_frames];
  for (const Slot& slot : slots_) {
    if (slot.stage != Stage::acting) continue;
    const double w = std::numbers::pi / (slot.end - slot.begin);  // per sample
    for (std::int64_t n = 0; n < frames; ++n) {
      const double angle = w * (static_cast<double>(first + n) - slot.begin);
      const bool is_first = first + n == slot.first;  // its part of a step is there already
      u[n] = is_first ? 0 : std::sin(angle - w);
      u[frames + n] = is_first ? 0 : std::cos(angle - w);
      force[n] = std::sin(angle);
    }
    bank_.drive(slot.drive, {u, static_cast<std::size_t>(2 * frames)}, {force, static_cast<std::size_t>(frames)});
  }
}

template <class T>
void StreamImpl<T>::drive_inputs(std::span<const T> inputs, std::int64_t total, std::int64_t done,
                                 std::int64_t frames) {
  double u[2 * piece_frames], force[piece_frames];
  const T* samples = inputs.data() + done;
  for (Input& input : inputs_) {
    for (std::int64_t n = 0; n < frames; ++n) {
      u[n] = double{n > 0 ? samples[n - 1] : input.last};
      u[frames + n] = force[n] = double{samples[n]};
    }
    bank_.drive(input.drive, {u, static_cast<std::size_t>(2 * frames)}, {force, static_cast<std::size_t>(frames)});
    input.last = samples[frames - 1];
    samples += total;
  }
}

template <class T>
void StreamImpl<T>::run(std::span<T> out, std::span<const T> inputs, bool adds) {
  const std::int64_t channels = bank_.channels(), total = std::ssize(out) / channels;
  take_strikes();
  std::int64_t now = position();
  for (std::int64_t done = 0; done < total;) {
    for (Slot& slot : slots_)
      if (slot.stage != Stage::empty && slot.next == now) act(slot, now);
    const std::int64_t frames = frames_until_event(now, total - done);
    bank_.ring(frames);
    drive_slots(now, frames);
    drive_inputs(inputs, total, done, frames);
    T* to = out.data() + done * channels;
    for (std::int64_t n = 0; n < frames; ++n)
      for (std::int64_t c = 0; c < channels; ++c, ++to) *to = bank_.sample(n, c) + (adds ? *to : T{0});
    done += frames, now += frames;
  }
  bank_.quieten();
  position_.store(now, std::memory_order_relaxed);
}

template class StreamImpl<float>;
template class StreamImpl<double>;

}  // namespace quartic
