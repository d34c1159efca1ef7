// The stages of quartic/collision.hpp for callers outside, with checks.
#include <algorithm>
#include <string>
#include <vector>

#include "core/collision/body_pairs.hpp"
#include "core/collision/labels.hpp"
#include "core/collision/pair_search.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

// All bodies of all groups, with spheres.
template <class T>
class StageBodies {
 public:
  StageBodies(std::span<const CollidingBodies<T>> groups, const CollisionLabels& labels,
              std::span<const double> margins) {
    std::int64_t count = 0;
    for (const CollidingBodies<T>& group : groups) count += group.places.q.bodies;
    require_labels(labels, count);
    if (!margins.empty() && std::ssize(margins) != count) throw InputError("margins must be one per body, or none");
    for (const double margin : margins)
      if (!(margin >= 0)) throw InputError("a margin must be a number >= 0");
    for (const CollidingBodies<T>& group : groups) add(group, labels, margins);
  }
  [[nodiscard]] std::span<const CollidingBody<T>> all() const { return bodies_; }

 private:
  void add(const CollidingBodies<T>& group, const CollisionLabels& labels, std::span<const double> margins) {
    const BodyPlaces<T>& places = group.places;
    if (places.pose.data != nullptr && (places.pose.rank != pose_size || places.pose.bodies != places.q.bodies))
      throw InputError("poses must have seven rows, and a column for each body");
    std::int64_t nodes = 0;
    if (group.surface != nullptr) {
      const BoundTree& tree = *group.surface->tree();
      if (places.q.rank != tree.rank)
        throw InputError("the bodies have " + std::to_string(places.q.rank) + " coordinates, but the bound tree " +
                         std::to_string(tree.rank));
      nodes = tree.node_count();
      spheres_.emplace_back(static_cast<std::size_t>(places.q.bodies * nodes * 4));
      group.surface->topology().template spheres<T>().refit(places.q, spheres_.back());
    }
    for (std::int64_t b = 0; b < places.q.bodies; ++b) {
      const std::size_t number = bodies_.size();
      CollidingBody<T> body = {.surface = group.surface.get(), .q = places.q, .column = b};
      body.pose = body_pose(places, b);
      if (group.surface != nullptr) body.spheres = spheres_.back().data() + b * nodes * 4;
      body.margin = margins.empty() ? 0.0 : margins[number];
      body.id = labels.ids.empty() ? static_cast<std::int32_t>(number) : labels.ids[number];
      body.environment = labels.environments.empty() ? 0 : labels.environments[number];
      bodies_.push_back(body);
    }
  }

  std::vector<std::vector<T>> spheres_;
  std::vector<CollidingBody<T>> bodies_;
};

template <class T>
std::vector<BodyContact> contacts_of(std::span<const BodyPair> pairs, std::span<const CollidingBody<T>> bodies) {
  ThreadPool pool(1);
  PairSearch<T> search;
  const std::span<BodyContact> found = search.run(pairs, bodies, pool);
  return {found.begin(), found.end()};
}

}  // namespace

void require_labels(const CollisionLabels& labels, std::int64_t bodies) {
  if ((!labels.ids.empty() && std::ssize(labels.ids) != bodies) ||
      (!labels.environments.empty() && std::ssize(labels.environments) != bodies))
    throw InputError("ids and environments must be one per body (" + std::to_string(bodies) + "), or none");
  std::vector<std::int32_t> ids(labels.ids.begin(), labels.ids.end());
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end())
    throw InputError("two bodies have the id " + std::to_string(*twice) + "; ids must be all different");
}

template <class T>
std::vector<BodyPair> touching_bodies(std::span<const CollidingBodies<T>> groups, const CollisionLabels& labels,
                                      std::span<const double> margins) {
  const StageBodies<T> bodies(groups, labels, margins);
  BodyPairSearch<T> search;
  const std::span<const BodyPair> found = search.run(bodies.all());
  return {found.begin(), found.end()};
}

template <class T>
std::vector<BodyContact> pair_contacts(std::span<const BodyPair> pairs, std::span<const CollidingBodies<T>> groups,
                                       const CollisionLabels& labels, std::span<const double> margins) {
  const StageBodies<T> bodies(groups, labels, margins);
  const auto collides = [&](std::int64_t b) {
    return b >= 0 && b < std::ssize(bodies.all()) && bodies.all()[static_cast<std::size_t>(b)].surface != nullptr;
  };
  for (const BodyPair& pair : pairs)
    if (!collides(pair.first) || !collides(pair.second) || pair.first == pair.second)
      throw InputError("a pair names a body that doesn't exist, or has no surface, or twice the same");
  return contacts_of(pairs, bodies.all());
}

template <class T>
std::vector<BodyContact> find_body_contacts(std::span<const CollidingBodies<T>> groups, const CollisionLabels& labels,
                                            std::span<const double> margins) {
  const StageBodies<T> bodies(groups, labels, margins);
  BodyPairSearch<T> search;
  return contacts_of(search.run(bodies.all()), bodies.all());
}

template std::vector<BodyPair> touching_bodies(std::span<const CollidingBodies<float>>, const CollisionLabels&,
                                               std::span<const double>);
template std::vector<BodyPair> touching_bodies(std::span<const CollidingBodies<double>>, const CollisionLabels&,
                                               std::span<const double>);
template std::vector<BodyContact> pair_contacts(std::span<const BodyPair>, std::span<const CollidingBodies<float>>,
                                                const CollisionLabels&, std::span<const double>);
template std::vector<BodyContact> pair_contacts(std::span<const BodyPair>, std::span<const CollidingBodies<double>>,
                                                const CollisionLabels&, std::span<const double>);
template std::vector<BodyContact> find_body_contacts(std::span<const CollidingBodies<float>>, const CollisionLabels&,
                                                     std::span<const double>);
template std::vector<BodyContact> find_body_contacts(std::span<const CollidingBodies<double>>, const CollisionLabels&,
                                                     std::span<const double>);

}  // namespace quartic
