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

/// Samples that a bank rings at most at once, in pieces.
inline constexpr std::int64_t most_pieces = 16, most_frames_at_once = most_pieces * piece_frames;

/// A force that acts from sample to sample, as one or two numbers per step: u_0 and u_1 into each sample.
template <class T>
struct Drive {
  std::vector<Complex> added[2];      // what a step adds to each mode for u_j = 1
  std::vector<Complex> at_once;       // what a mode lacks of that, for u_0 = 1, at the sample itself; or empty
  std::vector<T> carried[2];          // `added` a step later, shape (2, k): Re, Im
  std::vector<T> responses;           // what is heard of `added` in the samples after, shape (numbers, heard, 64)
  std::vector<double> direct;         // what is heard of a force of 1 at once, shape (heard)
  std::vector<T> u[2], backwards[2];  // into the next samples; and from each piece's end, of 512 each
  std::vector<T> force;               // at these samples

  /// @param numbers of each step: 1 or 2
  Drive(std::int64_t numbers, std::int64_t modes, std::int64_t channels);
  [[nodiscard]] std::int64_t numbers() const { return added[1].empty() ? 1 : 2; }
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
  /// For steps of a force that is linear from sample to sample, u_0 times `force` at each: of one number.
  void prepare_linear(std::span<const double> force, Drive<T>& drive);
  /// For steps of the force sin(x + w t) times `force`, where u_0 = sin x and u_1 = cos x: of two numbers.
  void prepare_sine(std::span<const double> force, double w, Drive<T>& drive);
  /// What is heard of a drive by the weights that are set, after those that it was prepared by.
  void hear(std::span<const double> force, Drive<T>& drive);

  /// The next samples of all channels under some forces, and the state behind them.
  void ring(std::int64_t frames, std::span<Drive<T>* const> drives);
  /// A sample of the last `ring`. @param channel < channels; of weights that change, the same by those after is
  /// `channels` further
  [[nodiscard]] T sample(std::int64_t frame, std::int64_t channel) const {
    return out_.data()[(frame / piece_frames * heard_ + channel) * piece_frames + frame % piece_frames];
  }
  /// Takes what can't be heard for silence: numbers that are too small are slow.
  void quieten();

 private:
  /// Modes of a block, whose arrays begin at `first`.
  struct Block {
    std::int64_t first, modes;
  };
  template <class Work>
  void for_blocks(const Work& work) const;
  void set_powers(const Block& block, std::int64_t mode);
  void prepare(std::span<const double> force, Drive<T>& drive, const ForceIntegrals* integrals);
  void advance(const Block& block, ComplexRow a, std::int64_t frames) const;
  /// What forces add to a block's modes in each piece.
  void drive(const Block& block, std::span<Drive<T>* const> drives, std::int64_t pieces);
  /// The state behind the last piece of a block that forces act on.
  void carry_state(const Block& block, std::int64_t pieces, std::int64_t last_frames);
  static void turn_round(Drive<T>& drive, std::int64_t pieces, std::int64_t last_frames);
  void respond(const Drive<T>& drive, std::int64_t pieces);
  [[nodiscard]] ComplexRow state(const Block& block) { return {re_.data() + block.first, im_.data() + block.first}; }
  [[nodiscard]] ConstComplexRow weight(const Block& block) const {
    return {weight_re_.data() + block.first, weight_im_.data() + block.first};
  }
  // Arrays of a block: powers by modes and by lanes have as many numbers, and so have four rows of complex ones.
  [[nodiscard]] static std::int64_t row_place(const Block& block) { return 2 * piece_frames * block.first; }
  [[nodiscard]] static std::int64_t power_row_place(const Block& block) { return 2 * piece_powers * block.first; }

  static constexpr std::int64_t piece_powers = 4;  // p^32, p^64, p^128, p^256

  const SoundOperations<T>& operations_ = sound_operations<T>();
  std::vector<Complex> rates_;
  double step_;
  SoundSignal signal_;
  std::int64_t channels_, heard_;  // heard: channels, or twice as many while weights change
  std::vector<double> re_, im_;    // a
  std::int64_t padded_;            // k, up to whole blocks: the arrays' rows have zeros behind k
  std::array<std::vector<double>, 10> power_re_, power_im_;  // e^(r h n), n = 1, 2, 4, ... 512
  std::vector<double> weight_re_, weight_im_;                // shape (heard, padded): times 1, r or r^2 by the signal
  std::vector<double> weights_, loudest_;                    // without that, (heard, k); a mode's largest |weight| ever
  double largest_ = 0;                                       // of those
  std::vector<ForceIntegrals> linear_, sine_;                // of each mode; of a step of a force of w = sine_w_
  AlignedArray<T> weight_rows_;                              // the same weights, shape (heard, 2, padded)
  AlignedArray<T> rows_, lanes_, piece_rows_;                // powers of the blocks as operations want them
  AlignedArray<T> z_, out_, e_, added_, carried_;
  AlignedArray<double> last_;  // what a block's last piece starts with, shape (2, 64)
};

}  // namespace quartic
