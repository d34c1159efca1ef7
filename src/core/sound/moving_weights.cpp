// Weights over time: joined, side by side, and of a listener who walks.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "quartic/error.hpp"
#include "quartic/model.hpp"
#include "quartic/sound.hpp"

namespace quartic {
namespace {

using Vector = std::array<double, 3>;

void require_times(std::span<const double> times, std::size_t parts, const char* what) {
  if (times.empty() || times.size() != parts)
    throw InputError("there must be a time for each of the " + std::to_string(parts) + ' ' + what +
                     ", and one at least; there are " + std::to_string(times.size()));
  for (std::size_t m = 0; m < times.size(); ++m)
    if (!std::isfinite(times[m]) || (m > 0 && times[m] <= times[m - 1]))
      throw InputError("the times of sound weights must be finite and ascend");
}

std::size_t count_of(const SoundWeights& weights) {
  return weights.values.size() / static_cast<std::size_t>(weights.moments());
}

/// Weights of a time go to the end of `values`.
void append_at(const SoundWeights& weights, double time, std::vector<double>& values) {
  const std::size_t count = count_of(weights);
  const auto after = std::ranges::upper_bound(weights.times, time);
  const auto next = static_cast<std::size_t>(after - weights.times.begin());
  const std::size_t before = next > 0 ? next - 1 : 0,
                    last = std::min(next, weights.times.empty() ? 0 : weights.times.size() - 1);
  const double share =
      before < last && next > 0 ? (time - weights.times[before]) / (weights.times[last] - weights.times[before]) : 0;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back((1 - share) * weights.values[before * count + i] + share * weights.values[last * count + i]);
}

/// Of the volume within the boundary.
Vector middle_of(const VolumeMesh& mesh) {
  const std::vector<std::int32_t> triangles = boundary_triangles(mesh);
  Vector sum = {};
  double volume = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const double* corners[3];
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] = mesh.vertices.data() + 3 * static_cast<std::size_t>(triangles[t + k]);
    const auto [a, b, c] = corners;
    const double part =
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
    volume += part;
    for (std::size_t k = 0; k < 3; ++k) sum[k] += part * (a[k] + b[k] + c[k]) / 4;
  }
  for (double& x : sum) x /= volume;
  return sum;
}

double distance_between(const Vector& a, const Vector& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Moments on the way from a to b, and distances to the middle then. 1/R is convex along a line with a second
/// derivative of at most 2/R^3: steps of R/50 are within 5e-5 of it, and those to the next moment as well, since R
/// changes by no more.
void walk(const Vector& a, const Vector& b, double begin, double end, const Vector& middle, std::vector<double>& times,
          std::vector<double>& distances) {
  constexpr double step = 0.02;  // of the distance
  const double length = distance_between(a, b);
  for (double way = 0; way < length || (way == 0 && length == 0);) {
    const double share = length > 0 ? way / length : 0;
    const Vector place = {a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])};
    const double distance = distance_between(place, middle);
    if (!(distance > 1e-6 * length))
      throw InputError("the listener's way goes through the middle of the body; lead him around it");
    const double time = begin + share * (end - begin);
    if (way > 0 && time >= end) break;  // by round-off
    times.push_back(time);
    distances.push_back(distance);
    if (length == 0) break;
    way += step * distance;
  }
}

}  // namespace

SoundWeights stacked(std::span<const SoundWeights> weights) {
  if (weights.empty()) throw InputError("sound weights of no channels can't be stacked");
  SoundWeights result{weights[0].signal, 0, {}};
  for (const SoundWeights& part : weights) {
    if (part.signal != result.signal)
      throw InputError(
          "channels of one sound must be of one signal: displacement, velocity or acceleration; render "
          "others by themselves");
    const SoundWeights& first = weights[0];
    if (part.moments() * part.channels * std::ssize(first.values) !=
        first.moments() * first.channels * std::ssize(part.values))
      throw InputError("sound weights of different numbers of modes can't be stacked");
    result.channels += part.channels;
    std::vector<double> all;
    std::ranges::set_union(result.times, part.times, std::back_inserter(all));
    result.times = std::move(all);
  }
  for (std::int64_t m = 0; m < result.moments(); ++m)
    for (const SoundWeights& part : weights)
      append_at(part, result.times.empty() ? 0 : result.times[static_cast<std::size_t>(m)], result.values);
  return result;
}

SoundWeights moving_weights(std::span<const double> times, std::span<const SoundWeights> weights) {
  require_times(times, weights.size(), "weights");
  SoundWeights result{weights[0].signal, weights[0].channels, {}, {times.begin(), times.end()}};
  for (const SoundWeights& part : weights) {
    if (!part.times.empty()) throw InputError("weights at a time must not change by themselves");
    if (part.signal != result.signal || part.channels != result.channels ||
        part.values.size() != weights[0].values.size())
      throw InputError("weights that change must have the same signal, channels and modes at all times");
    result.values.insert(result.values.end(), part.values.begin(), part.values.end());
  }
  return result;
}

SoundWeights listener_weights(const ReducedModel& model, std::span<const double> times,
                              std::span<const std::array<double, 3>> positions, double air_density) {
  require_times(times, positions.size(), "positions");
  for (const Vector& position : positions)
    for (const double x : position)
      if (!std::isfinite(x)) throw InputError("positions of a listener must be finite");
  const SoundWeights unit = monopole_weights(model, 1, air_density);
  const Vector middle = middle_of(model.mesh);
  SoundWeights result{unit.signal, 1, {}, {}};
  std::vector<double> distances;
  for (std::size_t m = 0; m < positions.size(); ++m) {
    const std::size_t next = std::min(m + 1, positions.size() - 1);
    walk(positions[m], positions[next], times[m], times[next], middle, result.times, distances);
  }
  for (const double distance : distances)
    for (const double weight : unit.values) result.values.push_back(weight / distance);
  return result;
}

}  // namespace quartic
