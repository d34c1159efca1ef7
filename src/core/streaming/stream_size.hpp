// How much a sender or a receiver holds.
#pragma once

#include <cstdint>

#include "quartic/error.hpp"

namespace quartic {

/// @throws InputError for no coordinate or body, or more than any memory holds
inline void require_size(std::int64_t rank, std::int64_t bodies) {
  constexpr std::int64_t most = std::int64_t{1} << 31U;  // numbers of an array: 16 GB
  if (rank < 1 || bodies < 1) throw InputError("a stream needs a coordinate and a body at least");
  if (rank > most / bodies)
    throw InputError("a stream of so many coordinates and bodies doesn't fit into memory; make several");
}

}  // namespace quartic
