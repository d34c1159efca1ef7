// Bodies that hang together by contacts between them: the connected components of a step. Shapes join nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quartic/collision.hpp"

namespace quartic {

/// Bodies of an island in the order of their ids, and its contacts in the order of the list that they come from.
struct Island {
  std::vector<std::int64_t> bodies;   ///< of the batch
  std::vector<std::size_t> contacts;  ///< of the list
};

/// Islands in the order of their lowest ids. @param ids of all bodies of the batch
[[nodiscard]] std::vector<Island> find_islands(std::span<const BodyContact> contacts,
                                               std::span<const std::int32_t> ids);

}  // namespace quartic
