// What a world takes, and what it refuses with what to take instead.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "quartic/batch.hpp"
#include "quartic/world.hpp"

namespace quartic {

using BoundTrees = std::vector<std::shared_ptr<const BoundTree>>;

/// @throws InputError that names the option out of range
void require_options(const ContactOptions& options);

/// @param trees of the batch's groups
/// @throws InputError for a batch, or a group of it, that contacts don't go with, and for trees that don't fit
template <class T>
void require_contacts_go_with(const Batch<T>& batch, const BoundTrees& trees);

/// @throws InputError for the tree of another model than a group's, where free bodies' moments of mass tell
template <class T>
void require_own_trees(const Batch<T>& batch, const BoundTrees& trees);

/// @throws InputError that names the collider whose pose or twist isn't finite
void require_places(std::span<const Collider> colliders);

}  // namespace quartic
