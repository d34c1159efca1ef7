#include "measure/oscillation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace quartic::measure {

Oscillation oscillation_of(std::span<const double> time, std::span<const double> signal) {
  Oscillation result;
  if (signal.empty()) return result;
  for (const double x : signal) result.amplitude = std::max(result.amplitude, std::abs(x));
  const auto [low, high] = std::minmax_element(signal.begin(), signal.end());
  const double mean = std::accumulate(signal.begin(), signal.end(), 0.0) / static_cast<double>(signal.size());
  const double band = 0.05 * (*high - *low);
  std::vector<double> crossings;
  double crossing = 0;
  int side = 0;  // of the mean, where the signal last was outside the band
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const double x = signal[i] - mean;
    if (i > 0 && x * (signal[i - 1] - mean) <= 0 && x != signal[i - 1] - mean)
      crossing = time[i - 1] + (time[i] - time[i - 1]) * (mean - signal[i - 1]) / (signal[i] - signal[i - 1]);
    if (std::abs(x) <= band) continue;
    const int now = x > 0 ? 1 : -1;
    if (side != 0 && now != side) crossings.push_back(crossing);
    side = now;
  }
  if (crossings.size() >= 3)
    result.frequency = static_cast<double>(crossings.size() - 1) / (2 * (crossings.back() - crossings.front()));
  return result;
}

}  // namespace quartic::measure
