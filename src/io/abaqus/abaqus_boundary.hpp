// The data lines of *BOUNDARY.
#pragma once

#include "io/abaqus_deck/abaqus_deck.hpp"

namespace quartic::io {

/// What a line `target, first, last, magnitude` or `target, NAME` says behind its target.
struct FixedDirections {
  unsigned directions = 0;  ///< bit d: the displacement along axis d is fixed, or from 3 on the rotation about d - 3
  bool moves = false;       ///< a displacement other than 0 is prescribed; no direction is fixed then
};

/// @param fields of which the target has been taken
/// @throws ParseError if there is no direction, or none that is known
[[nodiscard]] FixedDirections read_fixed_directions(const Deck& deck, DataFields& fields);

/// True for values that a program or another model gives, or that are a flow's: their lines can't be read here.
[[nodiscard]] bool is_of_elsewhere(const Keyword& boundary);

}  // namespace quartic::io
