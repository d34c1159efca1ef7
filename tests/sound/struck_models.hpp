// Models whose modes are made up, so that what they sound like is known.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "quartic/model.hpp"
#include "quartic/sound.hpp"
#include "support/support.hpp"

namespace quartic::test {

/// A tetrahedron with a mode at each of these frequencies [Hz]; entries of modes are in [-1, 1].
inline ReducedModel ringing_model(const std::vector<double>& frequencies) {
  ReducedModel model;
  model.mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  model.mesh.blocks = {{ElementType::tet4, {0, 1, 2, 3}}};
  for (const double f : frequencies) model.eigenvalues.push_back(std::pow(2 * std::numbers::pi * f, 2));
  model.linear_modes = Matrix(12, static_cast<std::int64_t>(frequencies.size()));
  model.linear_modes.values = random_numbers(model.linear_modes.values.size(), 17);
  return model;
}

inline constexpr double rate = 44100;
inline const std::vector<double> frequencies = {20, 55, 200, 440, 1000, 3300, 9000, 15000};

inline SoundOptions damped() {
  return {.rate = rate, .damping = {.mass = 3, .stiffness = 1e-9}};
}

inline double largest(const std::vector<double>& samples) {
  double result = 0;
  for (const double x : samples) result = std::max(result, std::abs(x));
  return result;
}

inline void expect_equal(const std::vector<double>& samples, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(samples.size(), expected.size());
  const double scale = largest(expected);
  ASSERT_GT(scale, 0);
  for (std::size_t n = 0; n < samples.size(); ++n) ASSERT_NEAR(samples[n], expected[n], tolerance * scale) << n;
}

}  // namespace quartic::test
