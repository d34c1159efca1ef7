#include "core/sound/oscillator_bank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace quartic {
namespace {

constexpr std::int64_t columns_at_once = most_pieces;
constexpr std::int64_t row = 2 * mode_block;  // complex numbers of a block

std::int64_t whole_blocks(std::int64_t modes) {
  return (modes + mode_block - 1) / mode_block * mode_block;
}

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

Complex signal_factor(Complex rate, SoundSignal signal) {
  if (signal == SoundSignal::displacement) return 1;
  return signal == SoundSignal::velocity ? rate : rate * rate;
}

/// What a force of 1 during no time makes of a.
Complex unit_jump(Complex rate) {
  return {0, -1 / rate.imag()};
}

}  // namespace

template <class T>
Drive<T>::Drive(std::int64_t numbers, std::int64_t modes, std::int64_t channels)
    : at_once(numbers == 1 ? index(modes) : 0),
      responses(index(numbers * 2 * channels * 2 * piece_frames)),
      direct(index(2 * channels)),
      force(most_frames_at_once) {
  for (int j = 0; j < numbers; ++j) {
    added[j].resize(index(modes));
    carried[j].resize(index(2 * whole_blocks(modes)));
    u[j].resize(most_frames_at_once);
    backwards[j].resize(most_frames_at_once);
  }
}

template <class T>
OscillatorBank<T>::OscillatorBank(std::vector<Complex> rates, std::int64_t channels, SoundSignal signal, double rate)
    : rates_(std::move(rates)),
      step_(1 / rate),
      signal_(signal),
      channels_(channels),
      heard_(channels),
      re_(index(whole_blocks(modes()))),
      im_(re_.size()),
      padded_(std::ssize(re_)),
      weight_re_(2 * index(channels) * re_.size()),
      weight_im_(weight_re_.size()),
      weights_(2 * index(channels) * rates_.size()),
      loudest_(rates_.size()),
      sine_(rates_.size()),
      weight_rows_(4 * channels * padded_),
      rows_(2 * piece_frames * padded_),
      lanes_(2 * piece_frames * padded_),
      piece_rows_(2 * piece_powers * padded_),
      z_(row * std::max(columns_at_once, 4 * channels)),
      out_(piece_frames * std::max(columns_at_once, 4 * channels)),
      e_(row * most_pieces),
      added_(row * most_pieces),
      carried_(row),
      last_(row) {
  for (std::size_t bit = 0; bit < power_re_.size(); ++bit) power_re_[bit].resize(re_.size());
  for (std::size_t bit = 0; bit < power_im_.size(); ++bit) power_im_[bit].resize(re_.size());
  for_blocks([&](const Block& block) {
    for (std::int64_t i = 0; i < block.modes; ++i) set_powers(block, i);
  });
  for (const Complex r : rates_) linear_.push_back(linear_force(r, step_));
}

template <class T>
void OscillatorBank<T>::set_powers(const Block& block, std::int64_t i) {
  const Complex r = rates_[index(block.first + i)];
  T* by_modes = rows_.data() + row_place(block) + i * 2 * row_frames;
  T* by_lanes = lanes_.data() + row_place(block) + i / mode_lanes * (2 * piece_frames * mode_lanes) + i % mode_lanes;
  for (std::int64_t n = 0; n < piece_frames; ++n) {
    const Complex power = std::exp(r * (step_ * static_cast<double>(n)));
    T* at = by_modes + power_place(n);
    at[0] = static_cast<T>(power.real()), at[row_frames] = static_cast<T>(-power.imag());
    T* lane = by_lanes + n * 2 * mode_lanes;
    lane[0] = static_cast<T>(power.real()), lane[mode_lanes] = static_cast<T>(power.imag());
  }
  constexpr std::size_t first_bit = 5;  // p^32
  for (std::size_t bit = 0; bit < power_re_.size(); ++bit) {
    const Complex power = std::exp(r * (step_ * static_cast<double>(1 << bit)));
    power_re_[bit][index(block.first + i)] = power.real(), power_im_[bit][index(block.first + i)] = power.imag();
    if (bit < first_bit || bit >= first_bit + piece_powers) continue;
    T* at = piece_rows_.data() + power_row_place(block) + static_cast<std::int64_t>(bit - first_bit) * row + i;
    at[0] = static_cast<T>(power.real()), at[mode_block] = static_cast<T>(power.imag());
  }
}

template <class T>
template <class Work>
void OscillatorBank<T>::for_blocks(const Work& work) const {
  for (std::int64_t first = 0; first < modes(); first += mode_block)
    work(Block{first, std::min(mode_block, modes() - first)});
}

template <class T>
void OscillatorBank<T>::set_weights(std::span<const double> now, std::span<const double> after) {
  heard_ = after.empty() ? channels_ : 2 * channels_;
  std::copy(after.begin(), after.end(), std::copy(now.begin(), now.end(), weights_.begin()));
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex factor = signal_factor(rates_[i], signal_);
    for (std::int64_t c = 0; c < heard_; ++c) {
      const Complex weight = weights_[index(c) * rates_.size() + i] * factor;
      const std::size_t place = index(c * padded_) + i;
      weight_re_[place] = weight.real(), weight_im_[place] = weight.imag();
      T* rows = weight_rows_.data() + 2 * c * padded_ + static_cast<std::int64_t>(i);
      rows[0] = static_cast<T>(weight.real()), rows[padded_] = static_cast<T>(weight.imag());
    }
  }
  expect_weights(now);
  expect_weights(after);
}

template <class T>
void OscillatorBank<T>::expect_weights(std::span<const double> weights) {
  for (std::size_t entry = 0; entry < weights.size(); ++entry) {
    const std::size_t i = entry % rates_.size();
    loudest_[i] = std::max(loudest_[i], std::abs(weights[entry]) * std::abs(signal_factor(rates_[i], signal_)));
    largest_ = std::max(largest_, loudest_[i]);
  }
}

template <class T>
std::vector<double> OscillatorBank<T>::largest_responses() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < rates_.size(); ++i)
    result.push_back((1 + std::abs(unit_jump(rates_[i]))) * (1 + loudest_[i]));
  return result;
}

template <class T>
std::int64_t OscillatorBank<T>::most_frames() const {
  return std::max(columns_at_once / heard_, std::int64_t{1}) * piece_frames;
}

template <class T>
void OscillatorBank<T>::strike(std::span<const double> jump, double age) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex a = jump[i] * unit_jump(rates_[i]) * std::exp(rates_[i] * age);
    re_[i] += a.real(), im_[i] += a.imag();
  }
}

template <class T>
void OscillatorBank<T>::push(std::span<const double> a, double x, double w, double h, double age) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const ForceIntegrals integrals = sine_force(rates_[i], w, h);
    const Complex sum = std::sin(x) * integrals.first + std::cos(x) * integrals.second;
    const Complex jump = a[i] * unit_jump(rates_[i]) * sum * std::exp(rates_[i] * age);
    re_[i] += jump.real(), im_[i] += jump.imag();
  }
}

// A step from u_0 to u_1 adds first u_0 + second u_1. Where u_1 is the next step's u_0, all of u_1 but its own
// step's part is there a step later, as first/p u_1 added a step earlier would be: `at_once` takes that off again.
template <class T>
void OscillatorBank<T>::prepare(std::span<const double> force, Drive<T>& drive, const ForceIntegrals* integrals) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex jump = force[i] * unit_jump(rates_[i]), power(power_re_[0][i], power_im_[0][i]);
    drive.added[0][i] = jump * integrals[i].first;
    if (drive.numbers() == 1) {
      drive.at_once[i] = -drive.added[0][i] / power;
      drive.added[0][i] = jump * integrals[i].second - drive.at_once[i];
    } else {
      drive.added[1][i] = jump * integrals[i].second;
    }
    for (std::int64_t j = 0; j < drive.numbers(); ++j) {
      const Complex later = drive.added[j][i] * power;
      drive.carried[j][i] = static_cast<T>(later.real());
      drive.carried[j][index(padded_) + i] = static_cast<T>(later.imag());
    }
  }
  hear(force, drive);
}

template <class T>
void OscillatorBank<T>::hear(std::span<const double> force, Drive<T>& drive) {
  const std::int64_t columns = drive.numbers() * heard_;
  std::fill_n(out_.data(), columns * piece_frames, T{0});
  for_blocks([&](const Block& block) {
    for (std::int64_t j = 0; j < drive.numbers(); ++j) {
      for (std::int64_t i = 0; i < mode_block; ++i) {
        const Complex a = i < block.modes ? drive.added[j][index(block.first + i)] : 0;
        last_.data()[i] = a.real(), last_.data()[mode_block + i] = a.imag();
      }
      operations_.sweep({last_.data(), last_.data() + mode_block}, weight(block), padded_, heard_, nullptr, 1,
                        z_.data() + j * heard_ * row);
    }
    operations_.ring(rows_.data() + row_place(block), z_.data(), block.modes, columns, out_.data());
  });
  for (std::int64_t column = 0; column < columns; ++column)
    std::copy_n(out_.data() + column * piece_frames, piece_frames,
                drive.responses.data() + (2 * column + 1) * piece_frames);
  for (std::int64_t c = 0; c < heard_; ++c) {
    double sum = 0;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      if (signal_ == SoundSignal::acceleration) sum += weights_[index(c) * rates_.size() + i] * force[i];
      if (drive.numbers() > 1) continue;
      const std::size_t place = index(c * padded_) + i;
      sum += weight_re_[place] * drive.at_once[i].real() - weight_im_[place] * drive.at_once[i].imag();
    }
    drive.direct[index(c)] = sum;
  }
}

template <class T>
void OscillatorBank<T>::prepare_linear(std::span<const double> force, Drive<T>& drive) {
  prepare(force, drive, linear_.data());
}

template <class T>
void OscillatorBank<T>::prepare_sine(std::span<const double> force, double w, Drive<T>& drive) {
  for (std::size_t i = 0; i < rates_.size(); ++i) sine_[i] = sine_force(rates_[i], w, step_);
  prepare(force, drive, sine_.data());
}

template <class T>
void OscillatorBank<T>::advance(const Block& block, ComplexRow a, std::int64_t frames) const {
  for (std::size_t bit = 0; bit < power_re_.size(); ++bit)
    if ((frames >> bit) & 1)
      operations_.advance(a, {power_re_[bit].data() + block.first, power_im_[bit].data() + block.first});
}

template <class T>
void OscillatorBank<T>::ring(std::int64_t frames, std::span<Drive<T>* const> drives) {
  const std::int64_t pieces = (frames + piece_frames - 1) / piece_frames;
  const std::int64_t last_frames = frames - (pieces - 1) * piece_frames, columns = pieces * heard_;
  std::fill_n(out_.data(), columns * piece_frames, T{0});
  for (Drive<T>* drive : drives) turn_round(*drive, pieces, last_frames);
  for_blocks([&](const Block& block) {
    const T* powers = piece_rows_.data() + power_row_place(block);
    const ComplexRow a = state(block);
    operations_.sweep({a.re, a.im}, weight(block), padded_, heard_, powers, pieces, z_.data());
    advance(block, a, frames);
    if (!drives.empty()) {
      drive(block, drives, pieces);
      operations_.carry(powers, added_.data(), weight_rows_.data() + block.first, padded_, heard_, pieces,
                        carried_.data(), z_.data());
      carry_state(block, pieces, last_frames);
    }
    operations_.ring(rows_.data() + row_place(block), z_.data(), block.modes, columns, out_.data());
  });
  for (const Drive<T>* drive : drives) respond(*drive, pieces);
}

template <class T>
void OscillatorBank<T>::drive(const Block& block, std::span<Drive<T>* const> drives, std::int64_t pieces) {
  std::fill_n(added_.data(), pieces * row, T{0});
  std::fill_n(carried_.data(), row, T{0});
  for (const Drive<T>* drive : drives)
    for (std::int64_t j = 0; j < drive->numbers(); ++j) {
      operations_.gather(lanes_.data() + row_place(block), drive->backwards[j].data(), block.modes, pieces, e_.data());
      operations_.drive(e_.data(), drive->carried[j].data() + block.first, padded_, pieces, added_.data());
    }
}

template <class T>
void OscillatorBank<T>::carry_state(const Block& block, std::int64_t pieces, std::int64_t last_frames) {
  std::copy_n(carried_.data(), row, last_.data());
  advance(block, {last_.data(), last_.data() + mode_block}, last_frames);
  const T* added = added_.data() + (pieces - 1) * row;
  const ComplexRow a = state(block);
  for (std::int64_t i = 0; i < mode_block; ++i) {
    a.re[i] += last_.data()[i] + double{added[i]};
    a.im[i] += last_.data()[mode_block + i] + double{added[mode_block + i]};
  }
}

template <class T>
void OscillatorBank<T>::turn_round(Drive<T>& drive, std::int64_t pieces, std::int64_t last_frames) {
  for (std::int64_t j = 0; j < drive.numbers(); ++j)
    for (std::int64_t m = 0; m < pieces; ++m) {
      const std::int64_t frames = m + 1 < pieces ? piece_frames : last_frames;
      const auto u = drive.u[j].begin() + m * piece_frames, to = drive.backwards[j].begin() + m * piece_frames;
      std::fill(u + frames, u + piece_frames, T{0});
      std::fill(std::reverse_copy(u, u + frames, to), to + piece_frames, T{0});
    }
}

template <class T>
void OscillatorBank<T>::respond(const Drive<T>& drive, std::int64_t pieces) {
  for (std::int64_t m = 0; m < pieces; ++m)
    for (std::int64_t c = 0; c < heard_; ++c) {
      T* out = out_.data() + (m * heard_ + c) * piece_frames;
      for (std::int64_t j = 0; j < drive.numbers(); ++j)
        operations_.respond(drive.responses.data() + (j * heard_ + c) * 2 * piece_frames,
                            drive.u[j].data() + m * piece_frames, out);
      const T direct = static_cast<T>(drive.direct[index(c)]);
      for (std::int64_t n = 0; n < piece_frames; ++n) out[n] += direct * drive.force[index(m * piece_frames + n)];
    }
}

template <class T>
void OscillatorBank<T>::quieten() {
  constexpr double silence = 1e-33;     // above the smallest normal float
  constexpr double least_share = 1e-5;  // of the loudest mode, which those without weights may get later
  const double least = largest_ > 0 ? least_share * largest_ : 1;
  for (std::size_t i = 0; i < rates_.size(); ++i)
    if ((std::abs(re_[i]) + std::abs(im_[i])) * std::max(loudest_[i], least) < silence) re_[i] = im_[i] = 0;
}

template struct Drive<float>;
template struct Drive<double>;
template class OscillatorBank<float>;
template class OscillatorBank<double>;

}  // namespace quartic
