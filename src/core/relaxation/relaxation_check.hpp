// What a relaxation must fulfil.
#pragma once

#include <cstdint>

#include "quartic/relaxation.hpp"

namespace quartic {

/// @throws InputError unless the products are of an energy of this rank and finite, share and reach in range, and the
/// parts per region of the same fields
void check(const Relaxation& relaxation, std::int64_t rank);

/// @throws InputError unless it is in [0, 1]
void check_relaxed_share(double share);

/// r(r+1)/2.
[[nodiscard]] constexpr std::int64_t pair_count(std::int64_t rank) {
  return rank * (rank + 1) / 2;
}

}  // namespace quartic
