// What forces over a time make of an oscillator a' = r a + f: integrals of e^(r (h - t)) f(t) over 0 .. h.
#pragma once

#include <cmath>
#include <complex>

namespace quartic {

/// (e^z - 1)/z
[[nodiscard]] inline std::complex<double> phi1(std::complex<double> z) {
  if (std::abs(z) >= 0.5) return (std::exp(z) - 1.0) / z;
  std::complex<double> term = 1, sum = 1;
  for (int k = 2; k < 18; ++k) term *= z / static_cast<double>(k), sum += term;
  return sum;
}

/// (e^z - 1 - z)/z^2
[[nodiscard]] inline std::complex<double> phi2(std::complex<double> z) {
  if (std::abs(z) >= 0.5) return (std::exp(z) - 1.0 - z) / (z * z);
  std::complex<double> term = 0.5, sum = 0.5;
  for (int k = 3; k < 18; ++k) term *= z / static_cast<double>(k), sum += term;
  return sum;
}

/// Factors of two numbers that a force is made of.
struct ForceIntegrals {
  std::complex<double> first, second;
};

/// Of f = f0 + (f1 - f0) t/h: factors of f0 and f1.
[[nodiscard]] inline ForceIntegrals linear_force(std::complex<double> r, double h) {
  const std::complex<double> second = h * phi2(r * h);
  return {h * phi1(r * h) - second, second};
}

/// Of f = sin(x + w t): factors of sin x and cos x.
[[nodiscard]] inline ForceIntegrals sine_force(std::complex<double> r, double w, double h) {
  constexpr std::complex<double> i(0, 1);
  const std::complex<double> decay = h * std::exp(r * h);
  const std::complex<double> ahead = decay * phi1((i * w - r) * h), behind = decay * phi1((-i * w - r) * h);
  return {0.5 * (ahead + behind), -0.5 * i * (ahead - behind)};
}

}  // namespace quartic
