// The stages of quartic/contact.hpp on lists that keep their memory. Arguments have been checked.
#pragma once

#include <span>
#include <vector>

#include "quartic/contact.hpp"

namespace quartic {

/// Appends what `touching_leaves` returns.
template <class T>
void append_touching_leaves(const BoundTree& tree, std::span<const T> spheres, const BodyPlaces<T>& places,
                            std::span<const Collider> colliders, std::span<const double> margins,
                            std::vector<LeafPair>& leaves);

/// Appends what `leaf_contacts` returns.
template <class T>
void append_leaf_contacts(const BoundTree& tree, std::span<const LeafPair> leaves, const BodyPlaces<T>& places,
                          std::span<const Collider> colliders, std::span<const double> margins,
                          std::vector<Contact>& contacts);

}  // namespace quartic
