// Bodies of a world that meet each other: search, islands, and their steps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/collision/body_pairs.hpp"
#include "core/collision/island_solver.hpp"
#include "core/collision/islands.hpp"
#include "core/collision/pair_search.hpp"
#include "core/collision/warm_starts.hpp"
#include "core/contact/body_collisions.hpp"
#include "quartic/collision.hpp"
#include "quartic/world.hpp"

namespace quartic {

using CollisionSurfaces = std::vector<std::shared_ptr<const CollisionSurface>>;

/// Of arguments that have been checked. Memory is kept from step to step.
template <class T>
class WorldCollisions final : public BodyCollisions<T> {
 public:
  WorldCollisions(const Batch<T>& batch, CollisionSurfaces surfaces, const ContactOptions& contact,
                  const CollisionOptions& options);

  std::span<const std::int64_t> find(const Batch<T>& batch, const CandidateSearch<T>& search,
                                     ThreadPool& pool) override;
  void step(const Batch<T>& batch, std::span<const IslandBody> bodies, ThreadPool& pool) override;
  [[nodiscard]] std::span<const BodyContact> contacts() const override { return contacts_; }
  [[nodiscard]] const std::vector<WarmStart>& warm_starts() const override { return warm_.all(); }
  void set_warm_starts(std::vector<WarmStart> starts) override { warm_.set(std::move(starts)); }
  [[nodiscard]] const CollisionReport& report() const { return report_; }

 private:
  /// What steps a group's bodies, of its present energy and moments.
  struct Steppers {
    SharedModel model = nullptr;
    SharedFrame frame = nullptr;
    std::vector<std::unique_ptr<PushedBody>> of_bodies = {};
  };

  void place_bodies(const Batch<T>& batch, const CandidateSearch<T>& search);
  [[nodiscard]] PushedBody& stepper(const Batch<T>& batch, int group, std::size_t number);
  void gather(const Batch<T>& batch, std::span<const IslandBody> bodies);
  void add_contact(const BodyContact& contact);
  void add_contact(const Contact& contact, std::int32_t body, const ContactStep& step);
  void begin_warm(IslandContact& contact, double h) const;
  void read_out(std::span<const IslandBody> bodies, double h);
  [[nodiscard]] std::int32_t id(std::int64_t body) const { return ids_[static_cast<std::size_t>(body)]; }

  CollisionSurfaces surfaces_;
  ContactOptions contact_options_;
  int sweeps_;
  bool tests_all_pairs_;
  std::vector<std::int32_t> ids_, environments_;  // of all bodies
  std::vector<CollidingBody<T>> bodies_;
  BodyPairSearch<T> broad_;
  PairSearch<T> narrow_;
  std::span<BodyContact> found_;
  std::vector<Island> islands_;
  std::vector<std::int64_t> in_islands_;
  std::vector<Steppers> steppers_;  // of the groups
  // In the order of islands: their bodies by id, and contacts by key.
  std::vector<SolvedBody> solved_;
  std::vector<std::int32_t> places_of_;  // of all bodies in solved_
  std::vector<IslandRange> ranges_;
  std::vector<IslandContact> island_contacts_;
  std::vector<std::array<IslandPlace, 2>> places_;
  std::vector<std::pair<std::size_t, std::size_t>> sources_;  // of these: a body's number in step's list, or -1 and
                                                              // one of found_; and which contact
  IslandSolver solver_;
  WarmStarts warm_;
  std::vector<BodyContact> contacts_;
  CollisionReport report_;
};

}  // namespace quartic
