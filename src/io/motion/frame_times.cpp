#include "io/motion/frame_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "io/motion/render_surface.hpp"
#include "quartic/error.hpp"

namespace quartic::io {
namespace {

double without_round_off(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= 1e-9 * std::max(1.0, std::abs(value)) ? whole : value;
}

}  // namespace

void require_ascending(const std::vector<double>& times) {
  if (times.empty()) throw InputError("the trajectory has no frames");
  for (std::size_t frame = 0; frame < times.size(); ++frame) {
    if (!std::isfinite(times[frame])) throw InputError("the time of frame " + std::to_string(frame) + " isn't finite");
    if (frame > 0 && times[frame] <= times[frame - 1])
      throw InputError("the time of frame " + std::to_string(frame) + " isn't after the one before; times must ascend");
  }
}

std::optional<double> even_spacing(const std::vector<double>& times) {
  if (times.size() < 2) return 0;
  const double spacing = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t frame = 0; frame < times.size(); ++frame)
    if (!(std::abs(times[frame] - (times.front() + static_cast<double>(frame) * spacing)) <= 1e-4 * spacing))
      return std::nullopt;
  return spacing;
}

std::vector<float> single_precision_times(const std::vector<double>& times) {
  std::vector<float> result;
  for (const double time : times) {
    float single = to_single(time);
    if (!result.empty() && single <= result.back())
      single = std::nextafter(result.back(), std::numeric_limits<float>::infinity());
    result.push_back(single);
  }
  return result;
}

TimeCodes time_codes(const std::vector<double>& times) {
  require_ascending(times);
  TimeCodes result;
  const auto spacing = even_spacing(times);
  if (spacing && *spacing > 0) result.per_second = without_round_off(1 / *spacing);
  for (const double time : times) {
    const double code = without_round_off(time * result.per_second);
    if (!std::isfinite(code) || (!result.codes.empty() && code <= result.codes.back()))
      throw InputError("the frames' times are too close to each other, or too large, for time codes");
    result.codes.push_back(code);
  }
  return result;
}

}  // namespace quartic::io
