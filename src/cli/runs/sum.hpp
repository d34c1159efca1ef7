#pragma once

#include <numeric>
#include <vector>

namespace quartic::cli {

/// Of all bodies.
[[nodiscard]] inline double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace quartic::cli
