#include "core/sound/oscillator_bank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace quartic {
namespace {

constexpr std::int64_t columns_at_once = 16;

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
Drive<T>::Drive(std::int64_t modes, std::int64_t channels)
    : responses(index(4 * channels * piece_frames)), direct(index(2 * channels)) {
  for (int j = 0; j < 2; ++j) re[j].resize(index(modes)), im[j].resize(index(modes));
}

template <class T>
OscillatorBank<T>::OscillatorBank(std::vector<Complex> rates, std::int64_t channels, SoundSignal signal, double rate)
    : rates_(std::move(rates)),
      step_(1 / rate),
      signal_(signal),
      channels_(channels),
      heard_(channels),
      re_(rates_.size()),
      im_(rates_.size()),
      weight_re_(2 * index(channels) * rates_.size()),
      weight_im_(weight_re_.size()),
      weights_(weight_re_.size()),
      loudest_(rates_.size()),
      sine_(rates_.size()),
      v_(modes() * 2 * piece_frames),
      z_(2 * modes() * std::max(columns_at_once, 4 * channels)),
      out_(piece_frames * std::max(columns_at_once, 4 * channels)),
      sums_(4 * modes()) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    for (std::int64_t n = 0; n < piece_frames; ++n) {
      const Complex power = std::exp(rates_[i] * (step_ * static_cast<double>(n)));
      T* v = v_.data() + static_cast<std::int64_t>(i) * 2 * piece_frames + n;
      v[0] = static_cast<T>(power.real()), v[piece_frames] = static_cast<T>(-power.imag());
    }
    for (std::size_t bit = 0; bit < power_re_.size(); ++bit) {
      const Complex power = std::exp(rates_[i] * (step_ * static_cast<double>(1 << bit)));
      power_re_[bit].push_back(power.real()), power_im_[bit].push_back(power.imag());
    }
    linear_.push_back(linear_force(rates_[i], step_));
  }
}

template <class T>
void OscillatorBank<T>::set_weights(std::span<const double> now, std::span<const double> after) {
  heard_ = after.empty() ? channels_ : 2 * channels_;
  std::copy(after.begin(), after.end(), std::copy(now.begin(), now.end(), weights_.begin()));
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex factor = signal_factor(rates_[i], signal_);
    for (std::size_t entry = i; entry < index(heard_) * rates_.size(); entry += rates_.size())
      weight_re_[entry] = weights_[entry] * factor.real(), weight_im_[entry] = weights_[entry] * factor.imag();
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
ConstComplexRow OscillatorBank<T>::weight(std::int64_t channel) const {
  return {weight_re_.data() + channel * modes(), weight_im_.data() + channel * modes()};
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

template <class T>
void OscillatorBank<T>::prepare(std::span<const double> force, Drive<T>& drive, const ForceIntegrals* integrals) {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex jump = force[i] * unit_jump(rates_[i]);
    const Complex first = jump * integrals[i].first, second = jump * integrals[i].second;
    drive.re[0][i] = first.real(), drive.im[0][i] = first.imag();
    drive.re[1][i] = second.real(), drive.im[1][i] = second.imag();
  }
  hear(force, drive);
}

template <class T>
void OscillatorBank<T>::hear(std::span<const double> force, Drive<T>& drive) {
  const std::int64_t k = modes();
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t c = 0; c < heard_; ++c) {
      T* z = z_.data() + 2 * (j * heard_ + c) * k;
      operations_.project({drive.re[j].data(), drive.im[j].data()}, weight(c), k, z, z + k);
    }
  operations_.ring(v_.data(), z_.data(), k, 2 * heard_, drive.responses.data());
  for (std::int64_t c = 0; c < heard_; ++c) {
    double sum = 0;
    for (std::int64_t i = 0; i < k && signal_ == SoundSignal::acceleration; ++i)
      sum += weights_[index(c * k + i)] * force[index(i)];
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
void OscillatorBank<T>::advance(std::int64_t frames) {
  for (std::size_t bit = 0; bit < power_re_.size(); ++bit)
    if ((frames >> bit) & 1) operations_.advance(state(), {power_re_[bit].data(), power_im_[bit].data()}, modes());
}

template <class T>
void OscillatorBank<T>::ring(std::int64_t frames) {
  std::int64_t columns = 0;
  for (std::int64_t first = 0; first < frames; first += piece_frames) {
    for (std::int64_t c = 0; c < heard_; ++c, ++columns) {
      T* z = z_.data() + 2 * columns * modes();
      operations_.project(state(), weight(c), modes(), z, z + modes());
    }
    advance(std::min(piece_frames, frames - first));
  }
  operations_.ring(v_.data(), z_.data(), modes(), columns, out_.data());
}

template <class T>
void OscillatorBank<T>::drive(const Drive<T>& drive, std::span<const double> u, std::span<const double> force) {
  const std::int64_t frames = std::ssize(force), k = modes();
  T now[2][piece_frames] = {}, backwards[2][piece_frames] = {};
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t n = 0; n < frames; ++n)
      now[j][n] = backwards[j][frames - 1 - n] = static_cast<T>(u[index(j * frames + n)]);
  for (std::int64_t c = 0; c < heard_; ++c) {
    T* out = out_.data() + c * piece_frames;
    for (std::int64_t j = 0; j < 2; ++j) {
      const T* response = drive.responses.data() + (j * heard_ + c) * piece_frames;
      for (std::int64_t m = 0; m < frames; ++m)
        for (std::int64_t n = m; n < frames; ++n) out[n] += response[n - m] * now[j][m];
    }
    for (std::int64_t n = 0; n < frames; ++n) out[n] += static_cast<T>(drive.direct[index(c)] * force[index(n)]);
  }
  operations_.gather(v_.data(), &backwards[0][0], k, sums_.data());
  const T* e = sums_.data();
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const Complex first{double{e[i]}, double{e[index(k) + i]}};
    const Complex second{double{e[2 * index(k) + i]}, double{e[3 * index(k) + i]}};
    const Complex sum =
        Complex(drive.re[0][i], drive.im[0][i]) * first + Complex(drive.re[1][i], drive.im[1][i]) * second;
    const Complex added = sum * Complex(power_re_[0][i], power_im_[0][i]);
    re_[i] += added.real(), im_[i] += added.imag();
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
