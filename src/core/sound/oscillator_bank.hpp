// Audible modes as oscillators, piece by piece.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/aligned_array.hpp"
#include "core/sound/audible_modes.hpp"
#include "core/sound/force_integrals.hpp"
#include "core/sound/sound_operations.hpp"

namespace quartic {

/// A force that acts from sample to sample, as two numbers per step: u_0 and u_1 into each sample.
template <class T>
struct Drive {
  std::vector<double> re[2], im[2];  // what a step adds to each mode for u_j = 1
  std::vector<T> responses;          // what is heard of that in the samples after, shape (2, heard, 32)
  std::vector<double> direct;        // what is heard of a force of 1 at once, shape (heard)

  Drive(std::int64_t modes, std::int64_t channels);
};

/// a_i' = r_i a_i - (i/w_i) f_i: y_i = Re(a_i) swings with y'' + 2 s y' + (s^2 + w^2) y = f. Nothing allocates but the
/// constructor.
///
/// While weights change, all channels are heard twice, by the weights before and by those after, and mixed.
template <class T>
class OscillatorBank {
 public:
  OscillatorBank(std::vector<Complex> rates, std::int64_t channels, SoundSignal signal, double rate);

  /// Weights of the oscillators, shape (channels, k). What drives has to be heard anew by them.
  /// @param after those to which they change; empty: they stay
  void set_weights(std::span<const double> now, std::span<const double> after = {});
  /// Says that a mode may come to be as loud as this, so that it isn't taken for silence before.
  void expect_weights(std::span<const double> weights);

  /// How large an impulse or force of 1 may make each mode's state and what is heard of it, shape (k).
  [[nodiscard]] std::vector<double> largest_responses() const;

  [[nodiscard]] std::int64_t modes() const { return std::ssize(rates_); }
  [[nodiscard]] std::int64_t channels() const { return channels_; }
  [[nodiscard]] double step() const { return step_; }  ///< [s]
  [[nodiscard]] bool changes() const { return heard_ > channels_; }
  /// Samples that `ring` takes at most.
  [[nodiscard]] std::int64_t most_frames() const;

  /// Adds the velocities `jump` that came `age` seconds ago. @param jump shape (k)
  void strike(std::span<const double> jump, double age);
  /// Adds what a force a sin(x + w t), t = 0 .. h, has done that ended `age` seconds ago.
  void push(std::span<const double> a, double x, double w, double h, double age);
  /// For steps of a force that is linear from u_0 to u_1 times `force`.
  void prepare_linear(std::span<const double> force, Drive<T>& drive);
  /// For steps of the force sin(x + w t) times `force`, where u_0 = sin x and u_1 = cos x.
  void prepare_sine(std::span<const double> force, double w, Drive<T>& drive);
  /// What is heard of a drive by the weights that are set, after those that it was prepared by.
  void hear(std::span<const double> force, Drive<T>& drive);

  /// The next samples of all channels, and the state behind them. @return valid until the next call
  void ring(std::int64_t frames);
  /// A sample of the last `ring`. @param channel < channels; of weights that change, the same by those after is
  /// `channels` further
  [[nodiscard]] T sample(std::int64_t frame, std::int64_t channel) const {
    return out_.data()[(frame / piece_frames * heard_ + channel) * piece_frames + frame % piece_frames];
  }
  /// Adds what a force does during the samples of the last `ring`, of at most a piece.
  /// @param u shape (2, frames): into each sample @param force at each sample, shape (frames)
  void drive(const Drive<T>& drive, std::span<const double> u, std::span<const double> force);

  /// Takes what can't be heard for silence: numbers that are too small are slow.
  void quieten();

 private:
  void prepare(std::span<const double> force, Drive<T>& drive, const ForceIntegrals* integrals);
  void advance(std::int64_t frames);
  [[nodiscard]] ComplexRow state() { return {re_.data(), im_.data()}; }
  [[nodiscard]] ConstComplexRow weight(std::int64_t channel) const;

  const SoundOperations<T>& operations_ = sound_operations<T>();
  std::vector<Complex> rates_;
  double step_;
  SoundSignal signal_;
  std::int64_t channels_, heard_;                           // heard: channels, or twice as many while weights change
  std::vector<double> re_, im_;                             // a
  std::array<std::vector<double>, 6> power_re_, power_im_;  // e^(r h n), n = 1, 2, 4, ... 32
  std::vector<double> weight_re_, weight_im_;               // shape (heard, k): times 1, r or r^2 by the signal
  std::vector<double> weights_, loudest_;                   // without that; the largest |weight| of a mode ever
  double largest_ = 0;                                      // of those
  std::vector<ForceIntegrals> linear_, sine_;               // of each mode; of a step of a force of w = sine_w_
  AlignedArray<T> v_, z_, out_, sums_;
};

}  // namespace quartic
