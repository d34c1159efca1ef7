#include "core/collision/body_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace quartic {

template <class T>
std::span<const BodyPair> BodyPairSearch<T>::run(std::span<const CollidingBody<T>> bodies) {
  constexpr double round_off = 64 * std::numeric_limits<double>::epsilon();
  places_.clear();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const CollidingBody<T>& body = bodies[b];
    if (body.surface == nullptr) continue;
    const ContactPoint rest = {double{body.spheres[0]}, double{body.spheres[1]}, double{body.spheres[2]}};
    const ContactPoint centre = apply(body.pose, rest);
    const double slack = round_off * (norm(body.pose.position) + norm(rest) + norm(centre));
    const double radius = double{body.spheres[3]} + body.margin + slack;
    if (!std::isfinite(norm(centre) + radius)) continue;
    places_.push_back(
        {body.environment, centre.x - radius, centre.x + radius, centre, radius, static_cast<std::int64_t>(b)});
  }
  std::ranges::sort(places_, {}, [](const Place& p) { return std::tuple(p.environment, p.low, p.body); });
  pairs_.clear();
  const auto id = [&](std::int64_t b) { return bodies[static_cast<std::size_t>(b)].id; };
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& one = places_[i];
    for (std::size_t j = i + 1; j < places_.size(); ++j) {
      const Place& two = places_[j];
      if (two.environment != one.environment || two.low > one.high) break;
      const ContactPoint way = two.centre - one.centre;
      if (norm(way) > (1 + round_off) * (one.radius + two.radius)) continue;
      pairs_.push_back(id(one.body) < id(two.body) ? BodyPair{one.body, two.body} : BodyPair{two.body, one.body});
    }
  }
  std::ranges::sort(pairs_, {}, [&](const BodyPair& pair) { return std::pair(id(pair.first), id(pair.second)); });
  return pairs_;
}

template class BodyPairSearch<float>;
template class BodyPairSearch<double>;

}  // namespace quartic
