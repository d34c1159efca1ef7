#include "core/collision/body_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace quartic {
namespace {

constexpr double round_off = 64 * std::numeric_limits<double>::epsilon();

double along(const ContactPoint& x, int axis) {
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

}  // namespace

template <class T>
void BodyPairSearch<T>::take_places(std::span<const CollidingBody<T>> bodies) {
  places_.clear();
  pairs_.clear();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const CollidingBody<T>& body = bodies[b];
    if (body.surface == nullptr) continue;
    const ContactPoint rest = {double{body.spheres[0]}, double{body.spheres[1]}, double{body.spheres[2]}};
    const ContactPoint centre = apply(body.pose, rest);
    const double slack = round_off * (norm(body.pose.position) + norm(rest) + norm(centre));
    const double radius = double{body.spheres[3]} + body.margin + slack;
    if (!std::isfinite(norm(centre) + radius)) continue;
    places_.push_back({body.environment, 0, 0, centre, radius, static_cast<std::int64_t>(b)});
  }
}

// Along which centres are spread most, the first of equals: fewest bodies lie side by side there.
template <class T>
int BodyPairSearch<T>::widest_axis() const {
  std::array<double, 3> spread = {};
  for (int k = 0; k < 3; ++k) {
    double mean = 0;
    for (const Place& place : places_) mean += along(place.centre, k) / static_cast<double>(places_.size());
    for (const Place& place : places_) {
      const double way = along(place.centre, k) - mean;
      spread[static_cast<std::size_t>(k)] += way * way;
    }
  }
  return static_cast<int>(std::ranges::max_element(spread) - spread.begin());
}

template <class T>
void BodyPairSearch<T>::add_pair(std::span<const CollidingBody<T>> bodies, std::int64_t one, std::int64_t two) {
  const auto id = [&](std::int64_t b) { return bodies[static_cast<std::size_t>(b)].id; };
  pairs_.push_back(id(one) < id(two) ? BodyPair{one, two} : BodyPair{two, one});
}

template <class T>
void BodyPairSearch<T>::sort_pairs(std::span<const CollidingBody<T>> bodies) {
  const auto id = [&](std::int64_t b) { return bodies[static_cast<std::size_t>(b)].id; };
  std::ranges::sort(pairs_, {}, [&](const BodyPair& pair) { return std::pair(id(pair.first), id(pair.second)); });
}

template <class T>
std::span<const BodyPair> BodyPairSearch<T>::run(std::span<const CollidingBody<T>> bodies) {
  take_places(bodies);
  const int axis = widest_axis();
  for (Place& place : places_) {
    const double centre = along(place.centre, axis);
    place.low = centre - place.radius, place.high = centre + place.radius;
  }
  std::ranges::sort(places_, {}, [](const Place& p) { return std::tuple(p.environment, p.low, p.body); });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& one = places_[i];
    for (std::size_t j = i + 1; j < places_.size(); ++j) {
      const Place& two = places_[j];
      if (two.environment != one.environment || two.low > one.high) break;
      if (norm(two.centre - one.centre) <= (1 + round_off) * (one.radius + two.radius))
        add_pair(bodies, one.body, two.body);
    }
  }
  sort_pairs(bodies);
  return pairs_;
}

template <class T>
std::span<const BodyPair> BodyPairSearch<T>::all(std::span<const CollidingBody<T>> bodies) {
  take_places(bodies);
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::size_t j = i + 1; j < places_.size(); ++j)
      if (places_[i].environment == places_[j].environment) add_pair(bodies, places_[i].body, places_[j].body);
  sort_pairs(bodies);
  return pairs_;
}

template class BodyPairSearch<float>;
template class BodyPairSearch<double>;

}  // namespace quartic
