#include <algorithm>
#include <string>

#include "quartic/error.hpp"
#include "quartic/loads.hpp"

namespace quartic {

std::array<double, 3> acceleration_at(const BaseAcceleration& base, double time) {
  if (base.times.size() != base.accelerations.size())
    throw InputError("a base has " + std::to_string(base.times.size()) + " times, but " +
                     std::to_string(base.accelerations.size()) + " accelerations; give one for each time");
  const auto behind = std::upper_bound(base.times.begin(), base.times.end(), time);
  if (behind == base.times.begin()) return {};
  const auto last = static_cast<std::size_t>(behind - base.times.begin()) - 1;
  if (behind == base.times.end()) return time > base.times.back() ? std::array<double, 3>{} : base.accelerations[last];
  const double share = (time - base.times[last]) / (base.times[last + 1] - base.times[last]);
  std::array<double, 3> result{};
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = base.accelerations[last][c] + share * (base.accelerations[last + 1][c] - base.accelerations[last][c]);
  return result;
}

}  // namespace quartic
