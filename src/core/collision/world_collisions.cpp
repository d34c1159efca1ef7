#include "core/collision/world_collisions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/batch/batch_impl.hpp"
#include "core/contact/contact_operations.hpp"
#include "core/contact/solids.hpp"
#include "core/contact/world_checks.hpp"

namespace quartic {
namespace {

constexpr auto of_a_pair = static_cast<std::size_t>(-1);

}  // namespace

template <class T>
WorldCollisions<T>::WorldCollisions(const Batch<T>& batch, CollisionSurfaces surfaces, const ContactOptions& contact,
                                    const CollisionOptions& options)
    : surfaces_(std::move(surfaces)),
      contact_options_(contact),
      sweeps_(options.sweeps),
      tests_all_pairs_(options.tests_all_pairs),
      ids_(options.ids),
      environments_(options.environments),
      steppers_(surfaces_.size()) {
  const auto count = static_cast<std::size_t>(batch.bodies());
  if (ids_.empty()) {
    ids_.resize(count);
    std::iota(ids_.begin(), ids_.end(), 0);
  }
  environments_.resize(count);
  bodies_.resize(count);
  places_of_.resize(count);
}

template <class T>
void WorldCollisions<T>::place_bodies(const Batch<T>& batch, const CandidateSearch<T>& search) {
  for (int g = 0; g < batch.group_count(); ++g) {
    const GroupRange range = batch.group(g);
    const CollisionSurface* surface = surfaces_[static_cast<std::size_t>(g)].get();
    BodyPlaces<T> places{.q = batch.q().part(range)};
    if (batch.has_frame(g)) {
      places.pose = batch.pose().all_rows(range);
      places.origin = batch.frame(g).origin;
    }
    for (std::int64_t b = 0; b < range.bodies; ++b) {
      const auto n = static_cast<std::size_t>(range.first_body + b);
      bodies_[n] = {.id = ids_[n], .environment = environments_[n]};
      if (surface == nullptr || batch.status()[n] == BodyStatus::diverged) continue;
      const double way = search.way(range.first_body + b);
      bodies_[n] = {.surface = surface,
                    .spheres = search.spheres(range.first_body + b),
                    .q = places.q,
                    .column = b,
                    .pose = body_pose(places, b),
                    .margin = std::isfinite(way) ? way : 0,
                    .id = ids_[n],
                    .environment = environments_[n]};
    }
  }
}

template <class T>
std::span<const std::int64_t> WorldCollisions<T>::find(const Batch<T>& batch, const CandidateSearch<T>& search,
                                                       ThreadPool& pool) {
  place_bodies(batch, search);
  found_ = narrow_.run(tests_all_pairs_ ? broad_.all(bodies_) : broad_.run(bodies_), bodies_, pool);
  islands_ = find_islands(found_, ids_);
  in_islands_.clear();
  report_ = {.islands = std::ssize(islands_)};
  for (const Island& island : islands_) {
    in_islands_.insert(in_islands_.end(), island.bodies.begin(), island.bodies.end());
    report_.largest_island = std::max(report_.largest_island, std::ssize(island.bodies));
  }
  report_.bodies = std::ssize(in_islands_);
  std::ranges::sort(in_islands_);
  return in_islands_;
}

template <class T>
PushedBody& WorldCollisions<T>::stepper(const Batch<T>& batch, int group, std::size_t number) {
  const auto g = static_cast<std::size_t>(group);
  const SharedModel& model = batch.impl().models()[g];
  const SharedFrame& frame = batch.impl().frames()[g];
  Steppers& steppers = steppers_[g];
  if (steppers.model != model || steppers.frame != frame) steppers = {model, frame, {}};
  while (steppers.of_bodies.size() <= number)
    steppers.of_bodies.push_back(cpu_contact_operations.make_pushed_body(
        model, frame, surfaces_[g]->tree(), steppers.of_bodies.empty() ? nullptr : steppers.of_bodies[0].get()));
  return *steppers.of_bodies[number];
}

// The force of the last step along the contact's axes now, within the cone of friction.
template <class T>
void WorldCollisions<T>::begin_warm(IslandContact& contact, double h) const {
  const ContactPoint impulse = h * warm_.force(contact.key);
  const double normal = std::max(dot(impulse, contact.normal), 0.0);
  const ContactPoint across = impulse - dot(impulse, contact.normal) * contact.normal;
  const double size = norm(across), most = contact_options_.friction * normal;
  contact.begin(normal, size > most ? (most / size) * across : across);
}

template <class T>
void WorldCollisions<T>::add_contact(const BodyContact& contact) {
  const std::int32_t own = id(contact.body), others = id(contact.other);
  const auto other = static_cast<std::size_t>(contact.other);
  IslandContact& added = island_contacts_.emplace_back();
  added.bodies = {places_of_[static_cast<std::size_t>(contact.body)], places_of_[other]};
  added.key = {std::min(own, others), std::max(own, others), own < others ? 0 : 1, contact.point};
  added.gap = contact.gap;
  added.stiffness = contact_options_.stiffness * contact.area;
  added.depth = bodies_[other].surface->topology().depth;
  added.position = point_of(contact.position.data());
  added.normal = point_of(contact.normal.data());
  places_.push_back({IslandPlace{.points = {contact.point, 0, 0}},
                     IslandPlace{.points = contact.corners, .weights = contact.weights}});
}

template <class T>
void WorldCollisions<T>::add_contact(const Contact& contact, std::int32_t body, const ContactStep& step) {
  const Collider& collider = step.start[static_cast<std::size_t>(contact.shape)];
  IslandContact& added = island_contacts_.emplace_back();
  added.bodies = {body, -1};
  const std::int32_t own = id(contact.body);
  added.key = {own, own, 2 + contact.shape, contact.point};
  added.gap = contact.gap;
  added.stiffness = contact_options_.stiffness * contact.area;
  added.depth = collider.shape.solid().depth();
  added.position = point_of(contact.position.data());
  added.normal = point_of(contact.normal.data());
  const ContactPoint arm = added.position - point_of(collider.pose.data());
  added.carried = point_of(collider.twist.data()) + cross(point_of(collider.twist.data() + 3), arm);
  places_.push_back({IslandPlace{.points = {contact.point, 0, 0}}, IslandPlace{}});
}

template <class T>
void WorldCollisions<T>::gather(const Batch<T>& batch, std::span<const IslandBody> bodies) {
  solved_.clear(), ranges_.clear(), island_contacts_.clear(), places_.clear(), sources_.clear();
  std::vector<std::size_t> used(surfaces_.size(), 0);
  const auto number_of = [&](std::int64_t body) {  // in step's list
    return static_cast<std::size_t>(std::ranges::lower_bound(in_islands_, body) - in_islands_.begin());
  };
  for (const Island& island : islands_) {
    IslandRange& range = ranges_.emplace_back();
    range = {solved_.size(), island.bodies.size(), island_contacts_.size(), 0};
    for (const std::int64_t b : island.bodies) {
      const IslandBody& body = bodies[number_of(b)];
      places_of_[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(solved_.size());
      solved_.push_back({&stepper(batch, body.group, used[static_cast<std::size_t>(body.group)]++), body.own,
                         !batch.has_frame(body.group)});
    }
    for (const std::size_t c : island.contacts) {
      add_contact(found_[c]);
      sources_.emplace_back(of_a_pair, c);
    }
    for (const std::int64_t b : island.bodies) {
      const std::size_t number = number_of(b);
      for (std::size_t c = 0; c < bodies[number].contacts.size(); ++c) {
        add_contact(bodies[number].contacts[c], places_of_[static_cast<std::size_t>(b)], bodies[number].own->step);
        sources_.emplace_back(number, c);
      }
    }
    range.contacts = island_contacts_.size() - range.first_contact;
  }
}

template <class T>
void WorldCollisions<T>::step(const Batch<T>& batch, std::span<const IslandBody> bodies, ThreadPool& pool) {
  contacts_.clear();
  if (bodies.empty()) return warm_.clear();
  const double h = bodies[0].own->step.settings.dt;
  gather(batch, bodies);
  for (IslandContact& contact : island_contacts_) begin_warm(contact, h);
  solver_.run(solved_, ranges_, island_contacts_, places_,
              {.law = bodies[0].own->step.law,
               .h = h,
               .tolerance = contact_options_.tolerance,
               .iterations = contact_options_.iterations,
               .sweeps = sweeps_},
              pool);
  report_.unsettled_islands = solver_.unsettled();
  read_out(bodies, h);
}

template <class T>
void WorldCollisions<T>::read_out(std::span<const IslandBody> bodies, double h) {
  warm_.clear();
  for (std::size_t n = 0; n < island_contacts_.size(); ++n) {
    const IslandContact& contact = island_contacts_[n];
    const ContactPoint own = solver_.velocity(contact, 0), other = solver_.velocity(contact, 1);
    const double along = dot(contact.normal, own - other), gap = contact.gap + h * along;
    const ContactPoint force = (1 / h) * contact.impulse_in_world();
    const bool presses = contact.impulse[0] > 0;
    if (presses) warm_.add(contact.key, force);
    BodyOnItsOwn& body = *solved_[static_cast<std::size_t>(contact.bodies[0])].own;
    body.outcome.too_fast |= went_through(gap, h * along, contact.depth);
    const ContactPoint position = contact.position + h * own;
    for (std::size_t end = 0; end < 2; ++end) {
      if (contact.bodies[end] < 0 || !solved_[static_cast<std::size_t>(contact.bodies[end])].is_held) continue;
      ContactOutcome& outcome = solved_[static_cast<std::size_t>(contact.bodies[end])].own->outcome;
      const ContactPoint on_body = (end == 0 ? 1.0 : -1.0) * force;
      outcome.force = outcome.force + on_body;
      outcome.torque = outcome.torque + cross(position, on_body);
    }
    if (sources_[n].first != of_a_pair) {
      Contact& read = bodies[sources_[n].first].contacts[sources_[n].second];
      read.position = array_of(position), read.gap = gap, read.force = array_of(force);
    } else if (gap < 0 || presses) {
      BodyContact& read = contacts_.emplace_back(found_[sources_[n].second]);
      read.position = array_of(position), read.gap = gap, read.force = array_of(force);
    }
  }
  warm_.sort();
  report_.contacts = std::ssize(contacts_);
}

template class WorldCollisions<float>;
template class WorldCollisions<double>;

}  // namespace quartic
