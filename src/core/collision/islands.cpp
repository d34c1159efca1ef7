#include "core/collision/islands.hpp"

#include <algorithm>

#include "core/base/disjoint_sets.hpp"

namespace quartic {

std::vector<Island> find_islands(std::span<const BodyContact> contacts, std::span<const std::int32_t> ids) {
  std::vector<std::int64_t> bodies;  // that are in any contact, by id
  for (const BodyContact& contact : contacts) bodies.insert(bodies.end(), {contact.body, contact.other});
  const auto id = [&](std::int64_t b) { return ids[static_cast<std::size_t>(b)]; };
  std::ranges::sort(bodies, {}, id);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  const auto place = [&](std::int64_t b) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(bodies, id(b), {}, id) - bodies.begin());
  };
  DisjointSets sets(bodies.size());
  for (const BodyContact& contact : contacts) sets.join(place(contact.body), place(contact.other));
  std::vector<Island> islands;
  std::vector<std::size_t> island_of(bodies.size());
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    const auto root = static_cast<std::size_t>(sets.root(static_cast<std::int32_t>(n)));
    if (root == n) {
      island_of[n] = islands.size();
      islands.emplace_back();
    }
    island_of[n] = island_of[root];  // the lowest of its set, which has come before
    islands[island_of[n]].bodies.push_back(bodies[n]);
  }
  for (std::size_t c = 0; c < contacts.size(); ++c)
    islands[island_of[static_cast<std::size_t>(place(contacts[c].body))]].contacts.push_back(c);
  return islands;
}

}  // namespace quartic
