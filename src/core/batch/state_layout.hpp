// The state of a batch by name: what arrays it consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "quartic/state.hpp"

namespace quartic {

/// An array of numbers of each body, (rows, B).
struct StateBlock {
  const char* name;       // also of its tensor in files
  const char* unit;       // of a number
  std::int64_t own_rows;  // rows of a body; 0: one per reduced coordinate of its group
  bool moves;             // changed by steps, which else only read it

  [[nodiscard]] constexpr std::int64_t rows(std::int64_t rank) const { return own_rows > 0 ? own_rows : rank; }
};

/// The blocks of every batch, in the order of the layout. A capability's own come after them.
enum class StateArray : std::uint8_t { q, velocity, acceleration, force, pose, twist, twist_rate, wrench };

inline constexpr StateBlock reduced_state[] = {{"q", "m sqrt(kg)", 0, true},
                                               {"velocity", "m sqrt(kg)/s", 0, true},
                                               {"acceleration", "m sqrt(kg)/s^2", 0, true},
                                               {"force", "N/sqrt(kg)", 0, false}};

/// The same of a batch in which some bodies have frames.
inline constexpr StateBlock free_state[] = {reduced_state[0],
                                            reduced_state[1],
                                            reduced_state[2],
                                            reduced_state[3],
                                            {"pose", "m, 1", pose_size, true},
                                            {"twist", "m/s, rad/s", twist_size, true},
                                            {"twist_rate", "m/s^2, rad/s^2", twist_size, true},
                                            {"wrench", "N, N m", twist_size, false}};

/// The blocks of a batch's state, in the order in which it keeps them.
using StateLayout = std::span<const StateBlock>;

[[nodiscard]] constexpr std::size_t index_of(StateArray which) {
  return static_cast<std::size_t>(which);
}
[[nodiscard]] constexpr StateArray array_at(std::size_t index) {
  return static_cast<StateArray>(index);
}

}  // namespace quartic
