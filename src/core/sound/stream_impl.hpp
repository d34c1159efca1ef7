// A stream of sound: strikes and inputs on an oscillator bank, sample by sample.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sound/oscillator_bank.hpp"
#include "core/sound/strike_queue.hpp"
#include "core/sound/weight_exchange.hpp"
#include "core/sound/weight_track.hpp"

namespace quartic {

template <class T>
class StreamImpl {
 public:
  /// Of arguments that have been checked. @param weights of the oscillators, shape (moments, channels, oscillators)
  StreamImpl(const Oscillators& oscillators, ModeRows rows, std::vector<double> weights, const SoundWeights& heard,
             const SoundOptions& options);

  [[nodiscard]] const OscillatorBank<T>& bank() const { return bank_; }
  [[nodiscard]] const AudibleModes& modes() const { return counts_; }
  [[nodiscard]] const ModeRows& rows() const { return rows_; }
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] std::int64_t inputs() const { return std::ssize(inputs_); }
  /// Of the next sample.
  [[nodiscard]] std::int64_t position() const { return position_.load(std::memory_order_relaxed); }
  [[nodiscard]] int strikes() const { return strikes_.load(std::memory_order_relaxed); }

  /// Whether what a strike does is finite in T, by the weights that the stream was made with. From the thread of
  /// `push`.
  [[nodiscard]] bool can_hold(const Strike& strike);
  /// Whether forces of 1 N along it are. Not while `run` or another thread's `can_hold` runs.
  [[nodiscard]] bool can_hold(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of);
  /// Whether samples of all inputs are finite, and what they do.
  [[nodiscard]] bool can_hold(std::span<const T> inputs) const;
  /// From one thread besides that of `run`. @return false if there is no room
  bool push(const Strike& strike);
  int add_input(std::int64_t vertex, const std::array<double, 3>& direction, VertexOf vertex_of);
  [[nodiscard]] SoundSignal signal() const { return signal_; }
  [[nodiscard]] std::int64_t model_modes() const { return model_modes_; }
  /// From one thread besides that of `run`. @param weights of all modes, that have been checked
  void set_weights(const SoundWeights& weights, double time);
  /// @param out shape (frames, channels): overwritten or added to @param inputs shape (inputs, frames)
  void run(std::span<T> out, std::span<const T> inputs, bool adds);

 private:
  enum class Stage : std::uint8_t { empty, waiting, acting };
  /// A strike's place. Times in samples.
  struct Slot {
    Stage stage = Stage::empty;
    double begin = 0, end = 0;         // equal: an instant
    std::int64_t first = 0, next = 0;  // the first sample that feels it; the sample that something happens at
    Strike strike;
    std::vector<double> force;  // Phi^T J, then times pi/(2 T) for the peak of a half sine, shape (k)
    Drive<T> drive;
  };
  struct Input {
    std::vector<double> force;  // Phi^T of the direction
    Drive<T> drive;
    T largest;  // sample whose effect T holds
  };

  /// Of a force, for what it does to be finite in T.
  [[nodiscard]] double largest_factor(std::int64_t vertex, VertexOf vertex_of, const std::array<double, 3>& force);
  void take_strikes();
  void take_weights();
  void hear_weights();
  void put_out(std::int64_t first, std::int64_t frames, T* to, bool adds) const;
  void place(Slot& slot, const Strike& strike);
  /// What happens at a sample.
  void act(Slot& slot, std::int64_t sample);
  void begin(Slot& slot);
  void finish(Slot& slot, std::int64_t sample);
  void push_half_sine(const Slot& slot, double from, double to, double sample);
  void drive_slots(std::int64_t first, std::int64_t frames);
  void drive_inputs(std::span<const T> inputs, std::int64_t total, std::int64_t done, std::int64_t frames);
  [[nodiscard]] std::int64_t frames_until_event(std::int64_t now, std::int64_t most) const;

  AudibleModes counts_;
  ModeRows rows_;
  std::vector<std::int64_t> numbers_;  // of the oscillators among the model's modes
  std::int64_t model_modes_;
  double rate_;
  SoundSignal signal_;
  OscillatorBank<T> bank_;
  WeightTrack weights_;
  WeightExchange new_weights_;
  StrikeQueue queue_;
  std::vector<Slot> slots_;
  std::vector<Input> inputs_;
  std::vector<Drive<T>*> acting_;          // of both, in the next samples
  std::vector<double> responses_, trial_;  // of `can_hold`, shape (k): of a force of 1; a force
  std::atomic<std::int64_t> position_{0};
  std::atomic<int> strikes_{0};
};

}  // namespace quartic
