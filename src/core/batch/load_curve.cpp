#include "core/batch/load_curve.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/batch/curve_value.hpp"
#include "quartic/error.hpp"

namespace quartic {

double scale_at(const LoadCurve& curve, double time, double slack) {
  return curve_value(curve.times.data(), curve.scales.data(), std::ssize(curve.times), time, slack);
}

void check(std::span<const LoadCurve> curves) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const LoadCurve& curve = curves[c];
    const std::string name = "load curve " + std::to_string(c);
    if (curve.times.empty() || curve.times.size() != curve.scales.size())
      throw InputError(name + " needs at least one point and as many scales as times, not " +
                       std::to_string(curve.times.size()) + " times and " + std::to_string(curve.scales.size()) +
                       " scales");
    if (!std::all_of(curve.times.begin(), curve.times.end(), is_finite) ||
        !std::all_of(curve.scales.begin(), curve.scales.end(), is_finite))
      throw InputError(name + " has a number that isn't finite");
    if (!std::is_sorted(curve.times.begin(), curve.times.end())) throw InputError(name + ": its times must ascend");
  }
}

}  // namespace quartic
