// States of batches behind some steps on a device, beside those on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/batch_states.hpp"

namespace quartic::test {

/// Of all bodies, none of which has diverged.
template <class T>
std::vector<std::vector<T>> states_of(Batch<T>& batch) {
  std::vector<std::vector<T>> states;
  for (std::int64_t b = 0; b < batch.bodies(); ++b) {
    EXPECT_NE(batch.status()[static_cast<std::size_t>(b)], BodyStatus::diverged) << b;
    states.push_back(full_state(batch, b));
  }
  return states;
}

/// Body by body, relative to its largest number.
template <class T>
void expect_close(const std::vector<std::vector<T>>& states, const std::vector<std::vector<T>>& expected,
                  double tolerance) {
  ASSERT_EQ(states.size(), expected.size());
  for (std::size_t b = 0; b < states.size(); ++b) {
    double difference = 0, size = 0;
    for (std::size_t n = 0; n < states[b].size(); ++n) {
      difference = std::max(difference, std::abs(double{states[b][n]} - double{expected[b][n]}));
      size = std::max(size, std::abs(double{expected[b][n]}));
    }
    EXPECT_LE(difference, tolerance * size) << b;
  }
}

/// Of three steps, in which rounding grows by the condition of their systems, some hundreds.
template <class T>
inline constexpr double three_steps_tolerance = 2000 * double{std::numeric_limits<T>::epsilon()};

}  // namespace quartic::test
