// What a world with bodies that meet each other takes, and what it refuses with what to take instead.
#include <string>
#include <utility>

#include "core/collision/labels.hpp"
#include "core/collision/world_collisions.hpp"
#include "core/contact/body_collisions.hpp"
#include "quartic/error.hpp"

namespace quartic {
namespace {

template <class T>
void require_surfaces_fit(const World<T>& world, const CollisionSurfaces& surfaces, const CollisionOptions& options) {
  const Batch<T>& batch = world.batch();
  if (std::ssize(surfaces) != batch.group_count())
    throw InputError("the batch has " + std::to_string(batch.group_count()) + " groups, but there are " +
                     std::to_string(surfaces.size()) + " collision surfaces; give one for each, null for none");
  for (std::size_t g = 0; g < surfaces.size(); ++g)
    if (surfaces[g] != nullptr && surfaces[g]->tree() != world.bound_trees()[g])
      throw InputError("the collision surface of group " + std::to_string(g) +
                       " is of another bound tree than the world has for it; make both of one tree");
  if (options.sweeps < 1) throw InputError("CollisionOptions::sweeps must be at least 1");
  require_labels({options.ids, options.environments}, batch.bodies());
}

template <class T>
WorldCollisions<T>* collisions_of(const World<T>& world) {
  return static_cast<WorldCollisions<T>*>(world.collisions());
}

}  // namespace

template <class T>
void let_collide(World<T>& world, std::vector<std::shared_ptr<const CollisionSurface>> surfaces,
                 const CollisionOptions& options) {
  require_collisions_go_with(world.batch());
  require_surfaces_fit(world, surfaces, options);
  world.set_collisions(
      std::make_unique<WorldCollisions<T>>(world.batch(), std::move(surfaces), world.options(), options));
}

template <class T>
std::span<const BodyContact> body_contacts(const World<T>& world) {
  return world.collisions() == nullptr ? std::span<const BodyContact>{} : world.collisions()->contacts();
}

template <class T>
CollisionReport collision_report(const World<T>& world) {
  return world.collisions() == nullptr ? CollisionReport{} : collisions_of(world)->report();
}

template void let_collide(World<float>&, std::vector<std::shared_ptr<const CollisionSurface>>, const CollisionOptions&);
template void let_collide(World<double>&, std::vector<std::shared_ptr<const CollisionSurface>>,
                          const CollisionOptions&);
template std::span<const BodyContact> body_contacts(const World<float>&);
template std::span<const BodyContact> body_contacts(const World<double>&);
template CollisionReport collision_report(const World<float>&);
template CollisionReport collision_report(const World<double>&);

}  // namespace quartic
